"use strict";
// The token stays in the fragment: it is in no request line, no log and no referrer.
const [token, ...options] = location.hash.slice(1).split("&");
const asked = Number(new URLSearchParams(options.join("&")).get("silence"));
// The address may shorten the silence after which the page is no longer called live. It can never lengthen it.
const SILENCE = Math.min(45000, asked > 0 ? asked : 45000);
const IDLE = 20000, RETRY = 2000, ANSWER = 15000, ACT = 130000;
const CONNECTING = "connecting", GONE = "the dashboard is not running; trying again";
const REFUSED = "this address has no valid token; open the one that ultrawork dashboard printed";
let link = CONNECTING, heard = 0, tried = 0, chosen = "", opened = null, control = null, timer = 0;
const find = (id) => document.getElementById(id);
const authorized = { Authorization: "Bearer " + token };

function make(tag, text, name) {
  const node = document.createElement(tag);
  node.textContent = text == null ? "" : String(text);
  if (name) node.className = name;
  return node;
}

function makeCell(text, label, name) {
  const cell = make("td", text, name);
  if (label) cell.dataset.label = label;
  return cell;
}

function request(path, body, patience) {
  const given = { headers: { ...authorized }, signal: AbortSignal.timeout(patience || ANSWER) };
  if (body) {
    given.method = "POST";
    given.headers["Content-Type"] = "application/json";
    given.body = JSON.stringify(body);
  }
  return fetch(path, given);
}

function describeLife() {
  if (link === REFUSED || link === GONE || heard === 0) return link;
  if (Date.now() - heard < SILENCE) return "live";
  return "nothing heard from ultrawork since " + new Date(heard).toLocaleTimeString();
}

function showLife() {
  const life = find("life"), text = describeLife();
  life.className = text === "live" || text === CONNECTING ? "" : "stale";
  if (life.textContent !== text) life.textContent = text;
}

function watch() {
  showLife();
  // A frozen socket never ends by itself, so a new one is tried now and then.
  const silent = Date.now() - Math.max(heard, tried) > Math.max(RETRY, SILENCE / 3);
  if (link !== REFUSED && silent && Date.now() - heard >= SILENCE) connect();
}

// A redraw keeps the place of someone who uses the keyboard.
function keepFocus(redraw) {
  const active = document.activeElement, key = active && active.dataset ? active.dataset.key : "";
  redraw();
  if (!key) return;
  const again = [...document.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key);
  if (again) again.focus();
}

function draw(board) {
  document.title = board.blocking ? "(" + board.blocking + ") ultrawork" : "ultrawork";
  const items = board.items.filter((item) => item.rank !== "working");
  keepFocus(() => {
    find("items").replaceChildren(...(items.length ? items.map(drawItem) : [make("li", "Nothing needs you.")]));
    find("board").replaceChildren(...board.sessions.map(drawSession));
  });
  if (chosen) showParts(chosen).catch(() => {});
  // Changes are read once: they take longer than the rest.
  if (opened && opened.level !== "diff") showView(opened).catch(() => {});
}

function drawItem(item) {
  const blocks = item.rank === "blocks you";
  const card = make("li", "", blocks ? "blocks" : "");
  card.append(make("strong", item.rank + ": " + item.question, blocks ? "ask" : ""));
  card.append(make("p", item.project + ": " + item.goal));
  if (item.assertion) card.append(drawFacts(item.assertion.facts));
  for (const option of item.options) {
    const button = make("button", option);
    button.type = "button";
    button.dataset.key = "item " + item.id + " " + option;
    button.addEventListener("click", () => answer(item, option, button));
    card.append(button);
  }
  if (item.rank === "failed" || item.rank === "done") {
    const seen = make("button", "Seen");
    seen.type = "button";
    seen.dataset.key = "seen " + item.id;
    seen.setAttribute("aria-label", "Mark as seen: " + item.goal);
    seen.addEventListener("click", () => send("/api/seen", { id: item.id }, seen));
    card.append(seen);
  }
  card.append(make("code", item.command));
  return card;
}

function drawFacts(facts) {
  const list = make("dl");
  for (const [label, text] of facts) list.append(make("dt", label), make("dd", text));
  return list;
}

function drawSession(row) {
  const line = document.createElement("tr"), name = row.session_id.slice(0, 8);
  const cell = makeCell("", "", "fixed"), open = make("button", name);
  open.type = "button";
  open.dataset.key = "row " + row.session_id;
  open.setAttribute("aria-label", "Show session " + name);
  open.addEventListener("click", () => openSession(row.session_id));
  cell.append(open);
  const all = Object.values(row.tasks).reduce((sum, number) => sum + number, 0);
  const done = (row.tasks.resolved || 0) + (row.tasks.skipped || 0);
  const cost = row.cost_usd == null ? "" : "$" + row.cost_usd.toFixed(2) + (row.cost_complete ? "" : "+");
  line.append(drawState(row.mark), cell, makeCell(row.project), makeCell(row.goal));
  const now = row.checking || (row.state.what === row.state.word ? "" : row.state.what);
  line.append(makeCell(now), makeCell(all ? done + " of " + all : "", "Tasks", "fixed"));
  line.append(makeCell(cost, "Cost", "fixed"));
  return line;
}

// The components of the report page: the same data, the same classes, the same style.
function drawState(mark) {
  return makeCell((mark.sign + " " + mark.word).trim(), "", "fixed mark " + mark.tone);
}

function drawVerdict(verdict) {
  return make("span", verdict.text, "badge " + verdict.word);
}

function drawRun(run) {
  const line = make("li"), open = make("button", "#" + run.number);
  open.type = "button";
  open.dataset.key = "run " + run.number;
  open.setAttribute("aria-label", "Show receipt " + run.number);
  const wanted = { level: "receipt", session: chosen, name: String(run.number), from: open.dataset.key };
  open.addEventListener("click", () => openView(wanted));
  line.append(open, " ", make("span", run.result, "pill " + run.colour), " " + run.name + " ");
  line.append(make("span", run.facts, "quiet"));
  return line;
}

function drawPart(part) {
  const line = document.createElement("tr");
  line.append(drawState(part.mark), makeCell(part.kind), makeName(part));
  line.append(makeCell(part.proof, "Proof"), makeCell(part.what));
  line.append(makeCell(part.process, "Process", "fixed"), makeActs(part));
  return line;
}

// What a task refuses, it says: the page knows no rules of its own.
function makeActs(part) {
  const cell = makeCell("");
  if (part.kind !== "task") return cell;
  for (const name of ["retry", "undo", "cancel"]) {
    const button = make("button", name[0].toUpperCase() + name.slice(1));
    button.type = "button";
    button.dataset.key = "act " + name + " " + part.name;
    button.setAttribute("aria-label", button.textContent + " task " + part.name);
    button.addEventListener("click", () => act(name, part.name, button));
    cell.append(button, " ");
  }
  return cell;
}

function ask(text) {
  const dialog = find("confirm");
  find("confirm-text").textContent = text;
  dialog.returnValue = "";
  dialog.showModal();
  find("confirm-no").focus();
  return new Promise((settle) => {
    dialog.addEventListener("close", () => settle(dialog.returnValue === "yes"), { once: true });
  });
}

async function act(name, subject, button) {
  const session = chosen, short = session.slice(0, 8);
  const what = subject ? "task " + subject + " of session " + short : "session " + short;
  const final = name === "cancel" || name === "undo";
  if (final && !(await ask(name[0].toUpperCase() + name.slice(1) + " " + what + "?"))) {
    find("message").textContent = "Nothing done.";
    return;
  }
  find("message").textContent = name + " " + what + " …";
  await send("/api/act", { act: name, session, subject, confirmed: final }, button, ACT);
  button.disabled = false;
  if (chosen === session) await showParts(session).catch(() => {});
}

// A check opens its receipt, and a task its newest agent.
function makeName(part) {
  const level = part.kind === "check" ? "receipt" : "agent", name = part.kind === "check" ? part.receipt : part.name;
  if (!name) return makeCell(part.name);
  const cell = makeCell(""), open = make("button", part.name);
  open.type = "button";
  open.dataset.key = "part " + part.kind + " " + part.name;
  open.setAttribute("aria-label", "Show " + part.kind + " " + part.name);
  open.addEventListener("click", () => openView({ level, session: chosen, name, from: open.dataset.key }));
  cell.append(open);
  return cell;
}

async function openSession(name) {
  await showParts(name);
  find("detail-head").focus();
}

async function showParts(name) {
  const answered = await request("/api/parts/" + encodeURIComponent(name));
  if (!answered.ok) return;
  const { verdict, parts, runs } = await answered.json();
  chosen = name;
  find("detail").hidden = false;
  find("detail-head").replaceChildren("Session " + name.slice(0, 8) + " ", drawVerdict(verdict));
  keepFocus(() => {
    find("parts").replaceChildren(...parts.map(drawPart));
    find("runs").replaceChildren(...runs.map(drawRun));
  });
  find("runs-head").hidden = runs.length === 0;
}

function focusKey(key) {
  const node = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (node) node.focus();
}

function closeDetail() {
  const key = "row " + chosen;
  if (opened) closeView();
  chosen = "";
  find("detail").hidden = true;
  focusKey(key);
}

async function openView(wanted) {
  if (wanted.level === "diff") find("message").textContent = "Reading the changes.";
  opened = wanted;
  await showView(wanted);
  if (wanted.level === "diff") find("message").textContent = "";
  if (opened === wanted && !find("view").hidden) find("view-head").focus();
}

async function showView(wanted) {
  const path = [wanted.level, wanted.session, wanted.name].map(encodeURIComponent).join("/");
  const answered = await request("/api/view/" + path);
  if (!answered.ok || opened !== wanted) return;
  const drawn = await answered.json();
  find("view").hidden = false;
  find("view-head").textContent = drawn.head;
  find("view-text").textContent = drawn.lines.join("\n");
}

function closeView() {
  const key = opened.from;
  opened = null;
  find("view").hidden = true;
  if (key) focusKey(key);
  else find("changes").focus();
}

async function answer(item, words, button) {
  if (words === "deny") {
    const why = prompt("Why is the test right?");
    if (why === null) return;
    words += " " + why;
  }
  await send("/api/answer", { id: item.id, words }, button);
}

async function send(path, body, button, patience) {
  button.disabled = true;
  try {
    const answered = await request(path, body, patience);
    find("message").textContent = (await answered.json()).text;
  } catch (error) {
    button.disabled = false;
    find("message").textContent = "The answer did not arrive. Try again.";
  }
}

async function read(answered) {
  const reader = answered.body.getReader(), decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // Any byte is a sign of life.
    heard = Date.now();
    link = CONNECTING;
    const parts = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = parts.pop();
    for (const part of parts) if (part.startsWith("data: ")) draw(JSON.parse(part.slice(6)));
    showLife();
  }
}

async function connect() {
  if (control) control.abort();
  clearTimeout(timer);
  tried = Date.now();
  const own = control = new AbortController();
  try {
    const answered = await fetch("/events", { headers: authorized, signal: own.signal });
    if (answered.status === 401) link = REFUSED;
    else await read(answered);
  } catch (error) { /* The line below says that the connection is gone. */ }
  if (own !== control) return;
  if (link !== REFUSED) {
    link = GONE;
    timer = setTimeout(connect, RETRY);
  }
  showLife();
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && Date.now() - heard > IDLE) connect();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !find("confirm").open && (opened || chosen)) (opened ? closeView : closeDetail)();
});
find("close").addEventListener("click", closeDetail);
find("close-view").addEventListener("click", closeView);
for (const name of ["pause", "retry", "cancel"]) find(name).addEventListener("click", () => act(name, "", find(name)));
find("confirm-yes").addEventListener("click", () => find("confirm").close("yes"));
find("confirm-no").addEventListener("click", () => find("confirm").close(""));
find("changes").addEventListener("click", () => openView({ level: "diff", session: chosen, name: "all" }));
setInterval(watch, 1000);
connect();
