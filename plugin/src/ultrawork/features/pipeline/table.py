"""What the rest of the program asks of pipelines. They have no event handlers of their own: a pipeline is a plan."""

ANSWERS = {
    # In a client, and without one.
    "begin": "hooks:begin",
    "check_start": "run:check_start",
    "begin_run": "run:begin_run",
    "require_agent": "course.agents:require_agent",
    # The next step, and who does it.
    "decide_after_failure": "values.context:decide_after_failure",
    "spawn_stage": "values.stage_plan:spawn",
    "brief_stage": "course.stages:brief_stage",
    "handle_failure": "course.stages:handle_failure",
    "show_stages": "course.stages:show",
    # Ends of stages, and of the whole.
    "finish_stage": "course.stages:finish_stage",
    "settle_stage": "run:settle_stage",
    "close": "course.stages:close",
    "describe_answer": "values.context:describe_answer",
    "read_answer": "run:read_answer",
}
