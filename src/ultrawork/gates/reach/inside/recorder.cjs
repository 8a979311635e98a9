"use strict";
// What one Node process of a traced run remembers: the tests that are running, the functions of the project
// that were entered (V8 counts calls), the files that were read and whether another program was started.
// `tracer.cjs` says when a test begins and ends.

const INSIDE = "ULTRAWORK_REACH_INSIDE";
const SOURCE = /\.([cm]?[jt]sx?|node|wasm)$/;
const TYPED = /\.([cm]?tsx?|jsx)$/;
// What stands before a function that vite writes for each export of a module, and no source has.
const EXPORT = /__vi\w*export\w*[^;]*$/i;
const WRAPPER = /^\(\{"Object\.<anonymous>":function\([^)]*\)\{/;

class Recorder {
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
      const at = offset - made.before;
      if (EXPORT.test(made.code.slice(Math.max(0, at - 160), at))) return null;
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
    // Loaders read it on the way to a module, whoever asked for that.
    const manifest = path.endsWith("package.json");
    const opener = this.findOpener(manifest ? 1 : Infinity) || "";
    const tests = [...this.running.keys()].map((key) => this.names.get(key) || "");
    for (const test of tests.length ? tests : [""]) this.reads.set(`${path}\0${opener}\0${test}`, [path, opener, test]);
    if (!this.running.size) this.outside.add(path);
    for (const one of this.running.values()) one.opened.add(path);
  }

  // The nearest frame of the project, at most so many frames away: who wanted the file.
  findOpener(most = Infinity) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 60;
    const { stack } = new Error("where");
    Error.stackTraceLimit = limit;
    let foreign = 0;
    for (const line of String(stack).split("\n").slice(1)) {
      if (line.includes(__filename)) continue;
      if ((foreign += 1) > most) return null;
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

module.exports = { Recorder, INSIDE };
