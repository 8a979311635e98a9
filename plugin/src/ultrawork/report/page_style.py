"""The style of a session page beside that of its components. Separate, because it is not code."""

from . import components

_OWN = """
body{font:15px/1.5 system-ui,sans-serif;margin:2.5rem auto;max-width:64rem;padding:0 1.25rem;color:var(--ink);
background:var(--paper)}
h1{font-size:1.5rem;line-height:1.3;margin:0}h2{font-size:1.1rem;margin:2.5rem 0 .75rem}h3{font-size:1rem}
p.quiet{margin:.4rem 0 1.5rem}
h1 .badge{font-size:1.05rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:0}
dl div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem .9rem}
dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.2rem;font-weight:600}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;margin-top:1rem}
td,th{padding:.4rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:500;font-size:.85rem}td:first-child,td:first-child code{white-space:nowrap;overflow-wrap:normal}td:first-child,th:first-child{padding-left:0}
code{font-size:.9em;background:var(--card);padding:.1rem .3rem;border-radius:4px;overflow-wrap:anywhere}
td.green,td.resolved{color:var(--good)}td.red,td.failed{color:var(--bad)}td.in_progress{color:var(--busy)}
td.flaky,td.broken,td.blocked{color:var(--warn)}td.skipped,td.pending{color:var(--soft)}
svg{display:block;font-family:inherit}svg .name{font-size:13px;font-weight:600;fill:var(--ink)}
svg .soft{font-size:11px;fill:var(--soft)}svg .state{font-size:11px}
.need{fill:none;stroke:var(--wait);stroke-width:1.5}.tick{stroke:var(--line)}.card{fill:var(--card);stroke:var(--line)}
.task .side,.task .state{fill:var(--wait)}.resolved .side,.resolved .state{fill:var(--good)}
.failed .side,.failed .state{fill:var(--bad)}.in_progress .side,.in_progress .state{fill:var(--busy)}
.blocked .side,.blocked .state{fill:var(--warn)}
.bar rect{fill:var(--busy)}.explorer rect,.planner rect{fill:var(--wait)}.verifier rect{fill:var(--look)}
.check rect{fill:var(--warn)}.check.green rect{fill:var(--good)}.check.red rect{fill:var(--bad)}.check.meant rect{fill:var(--meant)}
.lines{margin-top:.45rem}.plus{fill:var(--good)}.minus{fill:var(--bad)}
summary{cursor:pointer;color:var(--soft)}main>details{margin-top:2.5rem}pre{white-space:pre-wrap;font-size:12px}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.25rem;color:var(--soft);font-size:.85rem;margin:.25rem 0 .75rem}
.legend i{display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-right:.4rem;background:var(--wait)}
.legend .green i{background:var(--good)}.legend .red i{background:var(--bad)}
.legend .meant i{background:var(--meant)}.legend .flaky i,.legend .broken i{background:var(--warn)}
.receipt,.patch{border-bottom:1px solid var(--line);padding:.3rem 0}.receipt summary,.patch summary{color:var(--ink)}
.receipt .quiet,.patch .quiet{margin:0}.receipt table{margin:.4rem 0 .4rem 1rem;width:auto}
.receipt th{font-weight:500;white-space:nowrap}.receipt pre,.patch pre{background:var(--card);padding:.7rem;border-radius:6px;
overflow-x:auto;max-height:28rem;margin:.4rem 0 .8rem}
.patch pre{white-space:pre}.patch .plus{color:var(--good)}.patch .minus{color:var(--bad)}.patch .at{color:var(--meant)}
q{font-style:italic}
@media(max-width:40rem){body{margin:1rem auto;padding:0 .8rem;font-size:14px}h1{font-size:1.2rem}
h1 .badge{display:table;margin-bottom:.4rem}dl{grid-template-columns:1fr 1fr}dd{font-size:1rem}td,th{padding:.35rem .45rem}
.wide table,.wide tr{display:block}.wide .head{display:none}.wide tr{padding:.4rem 0;border-bottom:1px solid var(--line)}
.wide td{display:flow-root;border:0;padding:.1rem 0 .1rem 6.5rem;overflow-wrap:anywhere}.wide td:first-child{white-space:normal;padding-left:0}
.wide td:empty{display:none}.wide td+td::before{content:attr(data-name);float:left;margin-left:-6.5rem;width:6.2rem;color:var(--soft)}
.receipt table{margin-left:0}.receipt td{overflow-wrap:anywhere}}
"""
STYLE = components.STYLE + _OWN
