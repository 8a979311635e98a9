"use strict";
// The token stays in the fragment: it is in no request line, no log and no referrer.
const [token, ...options] = location.hash.slice(1).split("&");
const setting = new URLSearchParams(options.join("&"));
const SILENCE = Number(setting.get("silence")) || 45000, IDLE = 20000, AGAIN = 2000;
let heard = 0, tried = 0, chosen = "", control = null, timer = 0;
const find = (id) => document.getElementById(id);

function make(tag, text) {
  const node = document.createElement(tag);
  node.textContent = text == null ? "" : String(text);
  return node;
}

function ask(path, body) {
  const given = { headers: { Authorization: "Bearer " + token } };
  if (body) {
    given.method = "POST";
    given.headers["Content-Type"] = "application/json";
    given.body = JSON.stringify(body);
  }
  return fetch(path, given);
}

function showLife() {
  const life = find("life"), silent = Date.now() - heard;
  const fresh = silent < SILENCE;
  if (heard === 0) return;
  life.className = fresh ? "" : "stale";
  const since = new Date(heard).toLocaleTimeString();
  const said = fresh ? "live" : "nothing heard from ultrawork since " + since;
  if (life.textContent !== said) life.textContent = said;
  // A socket that is frozen ends nothing by itself: a new one is tried now and then.
  if (!fresh && Date.now() - tried > Math.max(AGAIN, SILENCE / 3)) connect();
}

// What is drawn anew keeps the place of someone who uses the keyboard.
function keepFocus(redraw) {
  const active = document.activeElement, key = active && active.dataset ? active.dataset.key : "";
  redraw();
  if (!key) return;
  const again = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (again) again.focus();
}

function draw(look) {
  document.title = look.blocking ? "(" + look.blocking + ") ultrawork" : "ultrawork";
  const items = look.items.filter((item) => item.rank !== "working");
  keepFocus(() => {
    find("items").replaceChildren(...(items.length ? items.map(drawItem) : [make("li", "Nothing needs you.")]));
    find("board").replaceChildren(...look.sessions.map(drawRow));
  });
  if (chosen) showParts(chosen);
}

function drawItem(item) {
  const line = document.createElement("li");
  line.append(make("strong", item.rank + ": " + item.question));
  line.append(make("p", item.project + ": " + item.goal));
  for (const option of item.options) {
    const button = make("button", option);
    button.dataset.key = "item " + item.id + " " + option;
    button.addEventListener("click", () => answer(item.id, option, button));
    line.append(button);
  }
  const command = make("code", item.command);
  line.append(command);
  return line;
}

function drawRow(row) {
  const line = document.createElement("tr");
  const name = make("td", ""), open = make("button", row.session_id.slice(0, 8));
  open.dataset.key = "row " + row.session_id;
  open.setAttribute("aria-label", "Show session " + row.session_id.slice(0, 8));
  open.addEventListener("click", () => showParts(row.session_id));
  name.append(open);
  const done = Object.values(row.tasks).reduce((sum, one) => sum + one, 0);
  const good = (row.tasks.resolved || 0) + (row.tasks.skipped || 0);
  const cost = row.cost_usd == null ? "" : "$" + row.cost_usd.toFixed(2) + (row.cost_complete ? "" : "+");
  const what = row.checking || row.state.what;
  const said = row.sign + " " + row.state.word + (what ? ": " + what : "");
  line.append(make("td", said), name, make("td", row.project), make("td", row.goal));
  line.append(make("td", done ? good + " of " + done : ""), make("td", cost));
  return line;
}

async function showParts(name) {
  const answered = await ask("/api/parts/" + encodeURIComponent(name));
  if (!answered.ok) return;
  chosen = name;
  find("detail").hidden = false;
  find("detail-head").textContent = "Session " + name.slice(0, 8);
  find("parts").replaceChildren(...(await answered.json()).parts.map((part) => {
    const line = document.createElement("tr");
    line.append(make("td", part.state.word), make("td", part.kind), make("td", part.name), make("td", part.proof));
    line.append(make("td", part.checking || part.state.what || part.text), make("td", part.driver.alive ? part.driver.pid : ""));
    return line;
  }));
}

async function answer(id, words, button) {
  if (words === "deny") words += " " + (prompt("Why is the test right?") || "");
  button.disabled = true;
  try {
    const answered = await ask("/api/answer", { id, words });
    find("told").textContent = (await answered.json()).text;
  } catch (error) {
    button.disabled = false;
    find("told").textContent = "The answer did not arrive. Try again.";
  }
}

async function connect() {
  if (control) control.abort();
  clearTimeout(timer);
  tried = Date.now();
  const own = control = new AbortController();
  try {
    const answered = await fetch("/events", { headers: { Authorization: "Bearer " + token }, signal: own.signal });
    if (answered.status === 401) {
      find("life").textContent = "this address has no valid token; open the one that ultrawork dashboard printed";
      return;
    }
    const reader = answered.body.getReader(), decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      heard = Date.now();
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = parts.pop();
      for (const part of parts) if (part.startsWith("data: ")) draw(JSON.parse(part.slice(6)));
      showLife();
    }
  } catch (error) { /* The watchdog says since when nothing was heard. */ }
  if (own !== control) return;
  heard = Math.min(heard, Date.now() - SILENCE);
  timer = setTimeout(connect, AGAIN);
  find("life").className = "stale";
  find("life").textContent = "the dashboard is not running; trying again";
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && Date.now() - heard > IDLE) connect();
});
setInterval(() => { if (find("life").textContent.startsWith("the dashboard is not running") === false) showLife(); }, 1000);
connect();
