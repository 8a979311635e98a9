"use strict";
// The way into JavaScript tests. Every Node of a traced run loads this file, for NODE_OPTIONS names it. It waits
// for node:test, mocha, jest or vitest, and tells the recorder when a test begins and ends.
// Nothing of it may reach the tests: an error of ours becomes a trouble of the record.

const VARIABLE = "ULTRAWORK_REACH";
const JEST = /[\\/]jest-circus[\\/](?:build[\\/])?(?:legacy-code-todo-rewrite[\\/])?(?:runner|jestAdapter)\.js$/;
const JEST_PROGRAM = /[\\/]jest(\.js)?$|[\\/]jest-worker[\\/]|[\\/]react-scripts[\\/]/;
const MOCHA = /[\\/]_?mocha(\.[cm]?js)?$|[\\/]mocha[\\/]/;
const VITEST = /[\\/](vitest|tinypool)([\\/.]|$)/;

// node:test: hooks at the root of the file; each test has a context of its own.
function enterNode(tracer) {
  if (tracer.entered) return;
  tracer.entered = true;
  const test = require("node:test");
  tracer.listen();
  const nameOf = (context) => readTitles(context).join(" > ");
  test.beforeEach((context) => {
    tracer.carefully(() => {
      tracer.names.set(context, nameOf(context));
      tracer.begin(context, readTitles(context).slice(0, -1).join(" > "));
    });
  });
  test.afterEach((context) => {
    tracer.carefully(() => tracer.end(context, nameOf(context)));
  });
}

function readTitles(context) {
  return typeof context.fullName === "string" ? context.fullName.split(" > ") : [context.name];
}

// mocha: its runner is a module that only import finds, but it tells its steps as events.
function enterMocha(tracer) {
  const { EventEmitter } = require("events");
  const { emit } = EventEmitter.prototype;
  EventEmitter.prototype.emit = function (event, ...rest) {
    const [test] = rest;
    const steps = event === "test" || event === "test end" || event === "end";
    const own = steps && this.constructor && this.constructor.name === "Runner";
    if (own && event === "test") {
      tracer.carefully(() => {
        tracer.names.set(test, test.titlePath().join(" > "));
        tracer.begin(test, test.parent);
      });
    }
    const told = Reflect.apply(emit, this, [event, ...rest]);
    if (own && event === "test end") tracer.carefully(() => tracer.end(test, test.titlePath().join(" > ")));
    if (own && event === "end") tracer.carefully(() => tracer.finish());
    return told;
  };
}

// vitest: its worker keeps the task that runs in one field, and its modules are run as scripts.
function enterVitest(tracer) {
  const define = Object.defineProperty;
  Object.defineProperty = function (owner, key, made) {
    if (key === "__vitest_worker__" && made && made.value) {
      Object.defineProperty = define;
      tracer.carefully(() => followVitest(tracer, made.value));
    }
    return define(owner, key, made);
  };
}

function followVitest(tracer, state) {
  tracer.listen();
  let { current } = state;
  const titles = (task) => (task ? [...titles(task.suite), task.name] : []);
  const name = (task) => [task.file.name, ...titles(task)].join(" > ");
  const close = (all) => {
    for (const task of [...tracer.running.keys()]) {
      if (all || (task.result && task.result.state !== "run")) tracer.end(task, name(task));
    }
  };
  Object.defineProperty(state, "current", {
    configurable: true,
    enumerable: true,
    get: () => current,
    set: (task) => {
      current = task;
      tracer.carefully(() => {
        if (task && task.type === "test") {
          tracer.names.set(task, name(task));
          tracer.begin(task, task.suite || task.file);
        } else close(!task);
        if (!task) tracer.finish();
      });
    },
  });
}

function enterJest(tracer, adapter) {
  return async function (globalConfig, config, environment, runtime, testPath, ...rest) {
    tracer.carefully(() => followJest(tracer, config, environment, testPath));
    try {
      return await adapter.call(this, globalConfig, config, environment, runtime, testPath, ...rest);
    } finally {
      tracer.carefully(() => tracer.finish());
    }
  };
}

function followJest(tracer, config, environment, testPath) {
  if (!tracer.session) tracer.troubles.push("jest had begun before it was watched");
  tracer.listen();
  tracer.watchCompiling();
  tracer.texts.clear();
  tracer.suite = undefined;
  const file = tracer.path.relative(config.rootDir, testPath);
  const handle = environment.handleTestEvent;
  environment.handleTestEvent = function (event, state) {
    if (event.name === "test_start" || event.name === "test_done") {
      tracer.carefully(() => {
        const name = [file, ...readSuites(event.test)].join(" > ");
        if (event.name === "test_done") tracer.end(event.test, name);
        else {
          tracer.names.set(event.test, name);
          tracer.begin(event.test, event.test.parent);
        }
      });
    }
    return handle ? handle.call(this, event, state) : undefined;
  };
}

function readSuites(test) {
  const titles = [];
  for (let at = test; at && at.name !== "ROOT_DESCRIBE_BLOCK"; at = at.parent) titles.unshift(at.name);
  return titles;
}

function watchLoading(tracer) {
  const Module = require("module");
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (code, file, ...rest) {
    if (tracer.session && typeof code === "string" && tracer.within(file)) tracer.compiled.set(file, { code, before: 0 });
    return _compile.call(this, code, file, ...rest);
  };
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    const told = load.call(this, request, parent, ...rest);
    if (request === "node:test") tracer.carefully(() => enterNode(tracer));
    if (!/runner|jestAdapter/.test(request)) return told;
    return tracer.carefully(() => enterRunner(tracer, Module, request, parent, told)) ?? told;
  };
}

const seen = new WeakMap();

function enterRunner(tracer, Module, request, parent, told) {
  const real = told && told.default ? told.default : told;
  if (typeof real !== "function" || !JEST.test(Module._resolveFilename(request, parent))) return undefined;
  if (!seen.has(real)) seen.set(real, enterJest(tracer, real));
  const made = seen.get(real);
  return told === real ? made : { ...told, __esModule: true, default: made };
}

function start() {
  const told = process.env[VARIABLE];
  if (!told) return;
  const { Recorder, INSIDE } = require("./recorder.cjs");
  if (process.env[INSIDE]) return;
  const tracer = new Recorder(JSON.parse(told));
  watchLoading(tracer);
  const main = process.argv[1] || "";
  const vitest = VITEST.test(main) || process.env.VITEST;
  const jest = JEST_PROGRAM.test(main);
  if (MOCHA.test(main) || jest || vitest) tracer.listen();
  if (jest || vitest) tracer.watchCompiling();
  if (MOCHA.test(main)) enterMocha(tracer);
  if (vitest) enterVitest(tracer);
  if (process.env.NODE_TEST_CONTEXT && main && /["']node:test["']/.test(tracer.fs.readFileSync(main, "utf8"))) {
    enterNode(tracer);
  }
}

try {
  start();
} catch {
  // no record says it
}
