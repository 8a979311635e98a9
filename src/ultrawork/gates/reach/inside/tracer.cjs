"use strict";
// The tracer of JavaScript tests. Every Node of a traced run loads this file, for NODE_OPTIONS names it. It
// waits for node:test, mocha, jest or vitest, and writes down, test by test, which functions of the project were
// entered (V8 counts calls), which files were read and whether another program was started.
// Nothing of it may reach the tests: an error of ours becomes a trouble of the record.

const VARIABLE = "ULTRAWORK_REACH";
const INSIDE = "ULTRAWORK_REACH_INSIDE";
const SOURCE = /\.([cm]?[jt]sx?|node|wasm)$/;
const TYPED = /\.([cm]?tsx?|jsx)$/;
// What a bundler writes for each export of a module; it stands in no source.
const EXPORT = /^(?:get)?\s*\(\)\s*(?:=>)?\s*\{\s*(?:try\s*\{)?\s*return [\w$.]+;?\s*\}/;
const JEST = /[\\/]jest-circus[\\/](?:build[\\/])?(?:legacy-code-todo-rewrite[\\/])?(?:runner|jestAdapter)\.js$/;
const JEST_PROGRAM = /[\\/]jest(\.js)?$|[\\/]jest-worker[\\/]|[\\/]react-scripts[\\/]/;
const WRAPPER = /^\(\{"Object\.<anonymous>":function\([^)]*\)\{/;
const MOCHA = /[\\/]_?mocha(\.[cm]?js)?$|[\\/]mocha[\\/]/;
const VITEST = /[\\/](vitest|tinypool)([\\/.]|$)/;

class Tracer {
  constructor(settings) {
    this.fs = { ...require("fs") };
    this.path = require("path");
    this.settings = settings;
    this.roots = settings.roots.map((root) => root.replace(/\/?$/, "/"));
    this.file = null;
    this.numbers = new Map();
    this.running = new Map();
    this.loaded = new Set();
    this.reads = new Map();
    this.outside = new Set();
    this.troubles = [];
    this.texts = new Map();
    this.living = 0;
    this.tests = 0;
    this.session = null;
    this.names = new WeakMap();
    this.compiled = new Map();
  }

  carefully(step) {
    try {
      return step();
    } catch (error) {
      if (this.troubles.length < 5) this.troubles.push(String(error && error.message));
      return undefined;
    }
  }

  // Counting costs time: it begins when a runner is there, and before it loads anything of the project.
  listen() {
    if (this.session) return;
    const { Session } = require("inspector");
    this.session = new Session();
    this.session.connect();
    this.session.post("Profiler.enable");
    this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    this.watchFiles();
    this.watchChildren();
    process.on("exit", () => this.carefully(() => this.finish()));
  }

  within(name) {
    let file = String(name);
    if (file.startsWith("file://")) file = require("url").fileURLToPath(file);
    if (!file.startsWith("/")) return null;
    for (const root of this.roots) {
      if (!file.startsWith(root)) continue;
      const inner = file.slice(root.length);
      return /(^|\/)node_modules\//.test(inner) ? null : inner;
    }
    return null;
  }

  locate(name) {
    const file = this.path.resolve(String(name instanceof URL ? require("url").fileURLToPath(name) : name));
    const found = this.within(file);
    if (found !== null) return found;
    try {
      return this.within(this.fs.realpathSync(file));
    } catch {
      return null;
    }
  }

  // What was entered since the last time, as functions of the project.
  take() {
    let told = null;
    this.session.post("Profiler.takePreciseCoverage", (error, result) => {
      if (error) throw new Error(error.message);
      told = result.result;
    });
    const entered = [];
    for (const script of told) {
      const path = this.within(script.url);
      if (path === null) continue;
      this.loaded.add(path);
      for (const one of script.functions) {
        const [range] = one.ranges;
        if (!range.count || (range.startOffset === 0 && !one.functionName)) continue;
        const lines = this.measure(script.url, range);
        if (lines) entered.push(JSON.stringify([path, lines[0], lines[1], one.functionName]));
      }
    }
    return entered;
  }

  // The lines of a range, as the file on disk has them.
  measure(url, range) {
    if (!this.texts.has(url)) this.texts.set(url, this.prepare(url));
    const find = this.texts.get(url);
    if (!find) {
      for (const one of this.running.values()) one.trouble = "it ran compiled code that tells no source map";
      return null;
    }
    const first = find(range.startOffset);
    return first === null ? null : [first, find(range.endOffset - 1) ?? first];
  }

  // From a place in what ran to a line of the source; null if that cannot be known.
  prepare(url) {
    const file = url.startsWith("file://") ? require("url").fileURLToPath(url) : url;
    const source = this.fs.readFileSync(file, "utf8");
    const made = this.compiled.get(file);
    const place = makePlaces(made ? made.code : source);
    const stripped = process.features.typescript === "strip";
    if (!made && TYPED.test(file) && !stripped) return null;
    if (!made || made.code === source) return (offset) => place(offset - (made ? made.before : 0))[0] + 1;
    const map = readMap(made.code);
    if (!map) return null;
    return (offset) => {
      if (EXPORT.test(made.code.slice(offset - made.before, offset - made.before + 200))) return null;
      const { originalLine } = map.findEntry(...place(offset - made.before));
      return originalLine === undefined ? null : originalLine + 1;
    };
  }

  // Between two tests of one suite nothing of the project runs; elsewhere what ran is nobody's.
  begin(key, suite) {
    process.env[INSIDE] = "1";
    if (!this.running.size && suite !== this.suite) this.take();
    this.suite = suite;
    this.running.set(key, { functions: new Set(), opened: new Set(), children: this.living > 0, trouble: "" });
  }

  end(key, name) {
    const own = this.running.get(key);
    if (!own) return;
    const entered = this.take();
    for (const one of this.running.values()) for (const span of entered) one.functions.add(span);
    this.running.delete(key);
    const functions = [...own.functions].map((span) => this.number(span));
    this.tests += 1;
    this.write({
      kind: "test", name, functions, opened: [...own.opened], children: own.children, trouble: own.trouble,
    });
  }

  number(span) {
    if (!this.numbers.has(span)) {
      this.numbers.set(span, this.numbers.size);
      this.write({ kind: "function", number: this.numbers.get(span), span: JSON.parse(span) });
    }
    return this.numbers.get(span);
  }

  write(told) {
    if (this.file === null) {
      const { threadId } = require("worker_threads");
      const name = `${process.pid}-${threadId}-${require("crypto").randomBytes(6).toString("hex")}`;
      this.file = this.fs.openSync(`${this.settings.folder}/${name}.jsonl`, "ax", 0o600);
      this.write({ kind: "start", language: "node", version: process.versions.node });
    }
    this.fs.writeSync(this.file, JSON.stringify(told) + "\n");
  }

  finish() {
    this.take();
    const reads = [...this.reads.values()];
    const modules = Object.fromEntries([...this.loaded].map((path) => [path, path]));
    this.write({
      kind: "end", tests: this.tests, troubles: this.troubles, modules, imports: [], reads,
      outside: [...this.outside],
    });
  }

  noteRead(name) {
    if (typeof name === "number" || name === null || name === undefined) return;
    const path = this.locate(name);
    if (path === null || SOURCE.test(path)) return;
    const opener = this.findOpener() || "";
    const tests = [...this.running.keys()].map((key) => this.names.get(key) || "");
    for (const test of tests.length ? tests : [""]) this.reads.set(`${path}\0${opener}\0${test}`, [path, opener, test]);
    if (!this.running.size) this.outside.add(path);
    for (const one of this.running.values()) one.opened.add(path);
  }

  // The nearest frame of the project: who wanted the file.
  findOpener() {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 60;
    const { stack } = new Error("where");
    Error.stackTraceLimit = limit;
    for (const line of String(stack).split("\n")) {
      const found = /(?:\(|at (?:async )?)((?:file:\/\/)?\/[^()]+?):\d+:\d+\)?$/.exec(line);
      const path = found ? this.within(found[1]) : null;
      if (path !== null) return path;
    }
    return null;
  }

  watchFiles() {
    const fs = require("fs");
    const note = (name) => this.carefully(() => this.noteRead(name));
    for (const name of ["readFileSync", "readFile", "createReadStream"]) replace(fs, name, (file) => note(file));
    for (const name of ["openSync", "open"]) {
      replace(fs, name, (file, flags) => (typeof flags === "string" && /^[wa]/.test(flags) ? undefined : note(file)));
    }
    replace(fs.promises, "readFile", (file) => note(file));
    replace(fs.promises, "open", (file, flags) => (typeof flags === "string" && /^[wa]/.test(flags) ? undefined : note(file)));
    require("module").syncBuiltinESMExports();
  }

  // Runners that compile modules themselves: what they hand to V8 is not what stands on disk.
  watchCompiling() {
    if (this.compiling) return;
    this.compiling = true;
    const vm = require("vm");
    const note = (code, options) => {
      const file = options && options.filename ? String(options.filename) : "";
      if (typeof code !== "string" || !this.within(file)) return;
      const wrapper = options.columnOffset < 0 ? -options.columnOffset : (WRAPPER.exec(code) || [""])[0].length;
      const path = file.startsWith("file://") ? require("url").fileURLToPath(file) : file;
      this.compiled.set(path, { code: code.slice(wrapper), before: wrapper });
    };
    replace(vm, "runInThisContext", (code, options) => this.carefully(() => note(code, options)));
    replace(vm, "compileFunction", (code, _, options) => this.carefully(() => note(code, options)));
    const tracer = this;
    vm.Script = class Script extends vm.Script {
      constructor(code, options) {
        tracer.carefully(() => note(code, options));
        super(code, options);
      }
    };
    if (vm.SourceTextModule) {
      vm.SourceTextModule = class SourceTextModule extends vm.SourceTextModule {
        constructor(code, options) {
          tracer.carefully(() => note(code, { filename: options && options.identifier }));
          super(code, options);
        }
      };
    }
    require("module").syncBuiltinESMExports();
  }

  watchChildren() {
    const started = require("child_process");
    const note = () => {
      for (const one of this.running.values()) one.children = true;
    };
    const tracer = this;
    const { spawn } = started.ChildProcess.prototype;
    started.ChildProcess.prototype.spawn = function (...args) {
      note();
      // A runner has helpers of its own; what the project started outlives the test that did.
      if (tracer.carefully(() => tracer.findOpener())) {
        tracer.living += 1;
        this.once("exit", () => (tracer.living -= 1));
      }
      return spawn.apply(this, args);
    };
    for (const name of ["spawnSync", "execSync", "execFileSync"]) replace(started, name, note);
    process.on("worker", note);
    require("module").syncBuiltinESMExports();
  }
}

function replace(owner, name, note) {
  const original = owner[name];
  const made = function (...args) {
    note(...args);
    return Reflect.apply(original, this, args);
  };
  for (const key of Reflect.ownKeys(original)) {
    const known = Object.getOwnPropertyDescriptor(original, key);
    if (key !== "prototype") Object.defineProperty(made, key, { ...known, configurable: true });
  }
  owner[name] = made;
}

function makePlaces(code) {
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return [low, Math.max(0, offset - starts[low])];
  };
}

function readMap(code) {
  const found = [...code.matchAll(/\/\/[#@] sourceMappingURL=data:application\/json[^,]*;base64,([A-Za-z0-9+/=]+)/g)].pop();
  if (!found) return null;
  const { SourceMap } = require("module");
  return new SourceMap(JSON.parse(Buffer.from(found[1], "base64").toString("utf8")));
}

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
  if (!told || process.env[INSIDE]) return;
  const tracer = new Tracer(JSON.parse(told));
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
