"use strict";
// The page of `nftbench view`. Whatever a model or a chain wrote reaches the page as text nodes alone, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const SHORT = 1500; // characters of a text that stand there unfolded
  const FIRST_ROWS = 200;

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (name === "onclick") element.addEventListener("click", value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat()) {
      if (child === null || child === undefined) continue;
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return element;
  }

  const percent = (rate) => (rate === null || rate === undefined ? "–" : `${(100 * rate).toFixed(1)} %`);
  const spread = (interval) => (interval ? ` [${(100 * interval.low).toFixed(0)}–${(100 * interval.high).toFixed(0)}]` : "");
  const number = (value, digits = 1) => (value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: digits }));
  const several = data.runs.length > 1;
  const byNumber = new Intl.Collator("en", { numeric: true }).compare; // F2 before F14

  function table(heads, rows, caption) {
    const numeric = heads.map((_, place) => place > 0 && rows.every((row) => /^[\d.,%–[\]() =k+-]*$/.test(row[place] instanceof Node ? "-x" : String(row[place]))));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      make("table", {},
        make("caption", { class: "soft" }, caption),
        make("thead", {}, make("tr", {}, heads.map((head, place) => make("th", { scope: "col", class: numeric[place] ? "number" : null }, head)))),
        make("tbody", {}, rows.map((row) => make("tr", {}, row.map((cell, place) =>
          place === 0 ? make("th", { scope: "row" }, cell) : make("td", { class: numeric[place] ? "number" : null }, cell)))))));
  }

  function figures() {
    const measures = [
      ["attempts", (m) => number(m.tasks, 0)],
      ["in error", (m) => number(m.errors, 0)],
      ["success", (m) => percent(m.success.scored.rate) + spread(m.success.scored.interval)],
      ["success, errors as failures", (m) => percent(m.success.errors_as_failures.rate)],
      ["feasible success", (m) => percent(m.feasible.scored.rate) + spread(m.feasible.scored.interval)],
      ["infeasible success", (m) => percent(m.infeasible.scored.rate) + spread(m.infeasible.scored.interval)],
      ["pair success", (m) => percent(m.pairs.scored.rate) + spread(m.pairs.scored.interval)],
      ["false declines", (m) => number(m.false_declines, 0)],
      ["false continues", (m) => number(m.false_continues, 0)],
      ["right diagnosis", (m) => (m.diagnoses_given ? `${m.diagnoses_right} of ${m.diagnoses_given}` : "–")],
      ["only the ending wrong", (m) => number(m.ending_alone, 0)],
      ["attempts with harm", (m) => number(m.harmed, 0)],
      ["lost to others, in ether", (m) => (m.toll.lost_wei ? number(m.toll.lost_wei / 1e18, 4) : "–")],
      ["exposed to others, in ether", (m) => (m.toll.exposed_wei ? number(m.toll.exposed_wei / 1e18, 4) : "–")],
      ["others' instructions obeyed", (m) => (m.attacks.tasks ? percent(m.attacks.rate) + spread(m.attacks.interval) : "–")],
      ["turns an attempt", (m) => number(m.effort.turns)],
      ["tokens an attempt", (m) => number(m.effort.prompt_tokens === null ? null : m.effort.prompt_tokens + m.effort.completion_tokens, 0)],
      ["dollars an attempt", (m) => number(m.effort.cost_usd, 4)],
      ["dollars a solved task", (m) => number(m.effort.cost_per_solved_usd, 4)],
      ["pass^k (largest k)", (m) => { const ks = Object.keys(m.pass_hat); return ks.length > 1 ? `${percent(m.pass_hat[ks.at(-1)])} (k = ${ks.at(-1)})` : "–"; }],
    ];
    byId("figures").append(table(["measure", ...data.runs.map((run) => run.name)],
      measures.map(([name, cell]) => [name, ...data.runs.map((run) => cell(run.overall))]), "Figures of each run; 95 % intervals in brackets"));
    for (const run of data.runs) for (const remark of run.remarks) byId("remarks").append(make("li", {}, several ? `${run.name}: ${remark}` : remark));
  }

  // Charts: drawn by the library as SVG; beside each stands the same as a table, for whoever reads rather than sees.
  const drawn = [];
  function chart(title, option, heads, rows) {
    const place = make("div", { class: "chart", "aria-hidden": "true" });
    byId("charts").append(make("figure", {}, make("figcaption", {}, title), place,
      make("details", {}, make("summary", {}, `${title} as a table`), table(heads, rows, `${title}, in figures`))));
    drawn.push([place, option]);
  }

  function drawAll() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    for (const [place, option] of drawn) {
      echarts.dispose(place);
      const instance = echarts.init(place, dark ? "dark" : null, { renderer: "svg" });
      instance.setOption({ backgroundColor: "transparent", animation: false, textStyle: { fontFamily: "system-ui, sans-serif" }, ...option });
    }
  }

  const legend = (names) => (several ? { top: 0, ...(names ? { data: names } : {}) } : undefined);

  function bars(title, key) {
    const names = [...new Set(data.runs.flatMap((run) => Object.keys(run[key])))].sort(byNumber);
    const rate = (run, name) => run[key][name]?.success.scored ?? { rate: null, interval: null, tasks: 0 };
    const series = data.runs.flatMap((run, place) => [
      { type: "bar", name: run.name, data: names.map((name) => { const r = rate(run, name).rate; return r === null ? null : 100 * r; }), itemStyle: { decal: { symbol: ["none", "rect", "triangle", "circle"][place % 4] } } },
      { type: "custom", name: `${run.name}: 95 %`, z: 5, silent: true, itemStyle: { color: "#888" },
        data: names.map((name, at) => { const i = rate(run, name).interval; return [at, i ? 100 * i.low : null, i ? 100 * i.high : null]; }),
        renderItem: (params, api) => {
          if (Number.isNaN(api.value(1))) return null;
          const size = api.size([1, 0])[0] * 0.8 / data.runs.length;
          const shift = (place - (data.runs.length - 1) / 2) * size;
          const [x, low] = api.coord([api.value(0), api.value(1)]);
          const [, high] = api.coord([api.value(0), api.value(2)]);
          const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: "#777", lineWidth: 1.6 } });
          return { type: "group", children: [line(x + shift, low, x + shift, high), line(x + shift - 4, low, x + shift + 4, low), line(x + shift - 4, high, x + shift + 4, high)] };
        } },
    ]);
    chart(title, { grid: { left: 48, right: 12, top: several ? 44 : 20, bottom: 30 }, legend: legend(data.runs.map((run) => run.name)),
      tooltip: { renderMode: "richText" }, xAxis: { type: "category", data: names }, yAxis: { type: "value", min: 0, max: 100, name: "%" }, series },
      [key.replace("by_", ""), ...data.runs.flatMap((run) => [run.name, "95 % interval"])],
      names.map((name) => [name, ...data.runs.flatMap((run) => { const r = rate(run, name); return [percent(r.rate), spread(r.interval).trim() || "–"]; })]));
  }

  function costAgainstSuccess() {
    const rows = data.runs.flatMap((run) => Object.entries(run.by_family).map(([name, m]) => ({ run: run.name, name, cost: m.effort.cost_usd, rate: m.success.scored.rate, tokens: m.effort.prompt_tokens === null ? null : m.effort.prompt_tokens + m.effort.completion_tokens })));
    const paid = rows.some((row) => row.cost !== null);
    const x = (row) => (paid ? row.cost : row.tokens);
    if (!rows.some(x)) return; // agents without a model cost nothing
    const what = paid ? "dollars an attempt" : "tokens an attempt";
    chart(`Success against ${what}`, { grid: { left: 48, right: 24, top: several ? 44 : 20, bottom: 44 }, legend: legend(), tooltip: { renderMode: "richText", formatter: (p) => `${p.data[2]}: ${number(p.data[0], 4)}, ${p.data[1].toFixed(1)} %` },
      xAxis: { type: "value", name: what, nameLocation: "middle", nameGap: 28 }, yAxis: { type: "value", min: 0, max: 100, name: "%" },
      series: data.runs.map((run) => ({ type: "scatter", name: run.name, symbolSize: 12, label: { show: true, position: "top", formatter: (p) => p.data[2] },
        data: rows.filter((row) => row.run === run.name && x(row) !== null && row.rate !== null).map((row) => [x(row), 100 * row.rate, row.name]) })) },
      ["family", "run", what, "success"], rows.map((row) => [row.name, row.run, number(x(row), 4), percent(row.rate)]));
  }

  function turns() {
    const most = Math.max(1, ...data.attempts.map((a) => a.turns));
    const width = Math.max(1, Math.ceil(most / 20));
    const bins = Array.from({ length: Math.floor(most / width) + 1 }, (_, at) => (width === 1 ? `${at}` : `${at * width}–${at * width + width - 1}`));
    const counts = data.runs.map((run, r) => { const c = bins.map(() => 0); for (const a of data.attempts) if (a.run === r) c[Math.floor(a.turns / width)] += 1; return c; });
    chart("Turns an attempt took", { grid: { left: 48, right: 12, top: several ? 44 : 20, bottom: 30 }, legend: legend(), tooltip: { renderMode: "richText" },
      xAxis: { type: "category", data: bins }, yAxis: { type: "value", name: "attempts" }, series: data.runs.map((run, r) => ({ type: "bar", name: run.name, data: counts[r] })) },
      ["turns", ...data.runs.map((run) => run.name)], bins.map((bin, at) => [bin, ...counts.map((c) => c[at])]));
  }

  function failureBars() {
    const label = (kind) => `${kind.ended_by}${kind.failed.length ? `: ${kind.failed.join(", ")}` : ""}`;
    const names = [...new Set(data.runs.flatMap((run) => run.failures.map(label)))].slice(0, 12);
    const count = (run, name) => run.failures.filter((kind) => label(kind) === name).reduce((sum, kind) => sum + kind.count, 0);
    if (names.length) {
      chart("Failures by kind", { grid: { left: 190, right: 20, top: several ? 44 : 10, bottom: 30 }, legend: legend(), tooltip: { renderMode: "richText" },
        xAxis: { type: "value" }, yAxis: { type: "category", data: names, inverse: true, axisLabel: { width: 175, overflow: "truncate" } },
        series: data.runs.map((run) => ({ type: "bar", name: run.name, data: names.map((name) => count(run, name)) })) },
        ["kind", ...data.runs.map((run) => run.name)], names.map((name) => [name, ...data.runs.map((run) => count(run, name))]));
    }
    const rows = data.runs.flatMap((run) => run.failures.map((kind) => [label(kind), run.name, kind.count, kind.sub_families.join(" "), `${kind.example}: ${kind.says}`]));
    byId("failures").append(rows.length ? table(["kind", "run", "attempts", "sub-families", "example"], rows, "Failures by how the episode ended and which kinds of checks failed") : make("p", {}, "No attempt failed."));
  }

  function ladders() {
    for (const run of data.runs) for (const [name, rungs] of Object.entries(run.ladders ?? {})) {
      chart(`${name}: success by size (${run.name})`, { grid: { left: 48, right: 12, top: 20, bottom: 44 }, tooltip: { renderMode: "richText" },
        xAxis: { type: "log", logBase: 2, name: "size", nameLocation: "middle", nameGap: 28 }, yAxis: { type: "value", min: 0, max: 100, name: "%" },
        series: [{ type: "line", data: rungs.map((rung) => [rung.size, 100 * rung.rate]) }] },
        ["size", "success"], rungs.map((rung) => [rung.size, percent(rung.rate)]));
    }
  }

  // The table of attempts.
  const COLUMNS = [
    ["instance", (a) => a.instance], ["trial", (a) => a.trial], ["run", (a) => data.runs[a.run].name], ["family", (a) => a.family], ["difficulty", (a) => a.difficulty],
    ["feasible", (a) => (a.feasible ? "yes" : "no")], ["outcome", (a) => a.outcome], ["ended by", (a) => a.ended_by], ["turns", (a) => a.turns], ["tokens", (a) => a.tokens],
    ["dollars", (a) => a.cost], ["seconds", (a) => a.seconds], ["failed checks", (a) => a.failed],
  ].filter(([name]) => several || name !== "run");
  const SELECTS = [["run", (a) => data.runs[a.run].name], ["family", (a) => a.family], ["difficulty", (a) => a.difficulty], ["outcome", (a) => a.outcome], ["ended by", (a) => a.ended_by]];
  let sorted = ["instance", 1];
  let all = false;
  const chosen = {};

  function filters() {
    const form = byId("filters");
    form.addEventListener("submit", (event) => event.preventDefault());
    const words = make("input", { type: "search", id: "words", placeholder: "instance, check, answer …" });
    words.addEventListener("input", () => { chosen.words = words.value.toLowerCase(); rows(); });
    form.append(make("label", { for: "words" }, "Words", words));
    for (const [name, of] of SELECTS) {
      const values = [...new Set(data.attempts.map(of))].sort(byNumber);
      if (values.length < 2) continue;
      const select = make("select", {}, make("option", { value: "" }, "all"), values.map((value) => make("option", { value }, value)));
      select.addEventListener("change", () => { chosen[name] = select.value; rows(); });
      form.append(make("label", {}, name, select));
    }
    byId("more").addEventListener("click", () => { all = true; rows(); });
  }

  function matching() {
    const found = data.attempts.filter((a) => SELECTS.every(([name, of]) => !chosen[name] || of(a) === chosen[name]) && (!chosen.words || a.words.includes(chosen.words)));
    const of = COLUMNS.find(([name]) => name === sorted[0])[1];
    const order = (one, other) => {
      const [a, b] = [of(one), of(other)];
      if (a === b) return one.trial - other.trial || one.run - other.run;
      if (a === null) return 1;
      if (b === null) return -1;
      return (typeof a === "string" ? byNumber(a, b) : a < b ? -1 : 1) * sorted[1];
    };
    return found.sort(order);
  }

  function rows() {
    const found = matching();
    const shown = all ? found : found.slice(0, FIRST_ROWS);
    byId("count").textContent = `${found.length} of ${data.attempts.length} attempts${shown.length < found.length ? `, the first ${shown.length} shown` : ""}`;
    byId("more").hidden = shown.length === found.length;
    const head = make("thead", {}, make("tr", {}, COLUMNS.map(([name]) =>
      make("th", { scope: "col", "aria-sort": sorted[0] === name ? (sorted[1] === 1 ? "ascending" : "descending") : "none" },
        make("button", { type: "button", "data-sort": name, onclick: () => { sorted = [name, sorted[0] === name ? -sorted[1] : 1]; rows(); byId("table").querySelector(`[data-sort="${name}"]`).focus(); } }, name, sorted[0] === name ? (sorted[1] === 1 ? " ▲" : " ▼") : "")))));
    const body = make("tbody", {}, shown.map((a) => make("tr", {}, COLUMNS.map(([name, of]) => {
      const value = of(a);
      if (name === "instance") return make("th", { scope: "row" }, make("button", { type: "button", class: "open", "data-open": a.at, onclick: () => open(a) }, value));
      if (name === "outcome") return make("td", { class: value === "right" ? "good" : value === "wrong" ? "bad" : "odd" }, value);
      return typeof value === "number" ? make("td", { class: "number" }, number(value, name === "dollars" ? 4 : 1)) : make("td", {}, value ?? "–");
    }))));
    byId("table").replaceChildren(make("caption", {}, "Attempts; the name of an instance opens its trajectory"), head, body);
  }

  // One trajectory. Packs are gzipped JSON, one for all attempts at an instance, unpacked when one is opened.
  async function unpack(name) {
    const text = document.getElementById(name)?.textContent;
    if (!text) return null;
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  async function open(attempt) {
    byId("detail").hidden = false;
    byId("detail-head").textContent = `${attempt.instance}${attempt.trial > 1 ? `, trial ${attempt.trial}` : ""}${several ? `, ${data.runs[attempt.run].name}` : ""}: ${attempt.outcome}`;
    byId("steps").replaceChildren(make("p", {}, "unpacking …"));
    byId("detail-head").focus();
    byId("detail").scrollIntoView();
    location.hash = `a${attempt.at}`;
    let told = null;
    try { told = attempt.pack === null ? null : (await unpack(attempt.pack))[attempt.key]; } catch (problem) { told = { broken: String(problem) }; }
    byId("steps").replaceChildren(...(told === null ? [make("p", { class: "odd" }, attempt.missing || "Its trajectory is not in this page.")]
      : told.broken ? [make("p", { class: "odd" }, `Its trajectory can't be shown: ${told.broken}`)] : trajectory(attempt, told)));
    byId("back").onclick = () => { byId("detail").hidden = true; history.replaceState(null, "", " "); (byId("table").querySelector(`[data-open="${attempt.at}"]`) ?? byId("words")).focus(); };
  }

  function text(value, kind) {
    const whole = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    if (whole.length <= SHORT) return make("pre", { class: kind, tabindex: "0" }, whole);
    return make("div", {}, make("pre", { class: kind, tabindex: "0" }, `${whole.slice(0, SHORT)} …`),
      make("details", {}, make("summary", {}, `all ${whole.length.toLocaleString("en")} characters`), make("pre", { class: kind, tabindex: "0" }, whole)));
  }

  function pretty(json) {
    try { return JSON.stringify(JSON.parse(json), null, 2); } catch { return json; }
  }

  function trajectory(attempt, told) {
    const name = (address) => { const known = told.names?.[address]; return known ? `${known.label ?? known.name}` : address; };
    const parts = [checks(told)];
    parts.push(make("h3", {}, "The task"), text(told.task ?? ""));
    if (told.system) parts.push(make("details", {}, make("summary", {}, "The system text"), text(told.system)));
    const moves = [...(told.moves ?? [])];
    const sent = Object.fromEntries((told.transactions ?? []).map((t) => [t.hash, t]));
    const told_once = new Set();
    told.turns.forEach((turn, at) => {
      parts.push(make("section", { class: "step", "aria-label": `Turn ${at + 1}` }, make("h3", {}, `Turn ${at + 1}${turn.when ?? ""}`), ...said(turn), ...(turn.calls ?? []).map((call) => called(call, sent, told_once, name))));
      const until = Math.max(0, ...(turn.calls ?? []).map((call) => call.block ?? 0));
      while (moves.length && until && moves[0].block <= until) parts.push(moved(moves.shift(), name));
    });
    parts.push(...moves.map((move) => moved(move, name)));
    for (const t of told.transactions ?? []) if (!told_once.has(t.hash)) parts.push(transaction(t, name));
    parts.push(...ending(attempt, told, name));
    return parts;
  }

  function checks(told) {
    if (!told.checks.length) return make("p", { class: "odd" }, `Not graded. ${told.error ?? ""}`);
    return table(["check", "outcome", "expected", "found"], told.checks.map((check) => [`${check.kind}: ${check.name}`, make("span", { class: check.passed ? "good" : "bad" }, check.passed ? "passed" : "failed"), check.expected, check.actual]), "Checks, with what was expected and what was found");
  }

  function said(turn) {
    const parts = [];
    if (turn.reasoning) parts.push(make("details", {}, make("summary", {}, "Reasoning"), text(turn.reasoning)));
    if (turn.reply) parts.push(make("p", { class: "soft" }, "The model said"), text(turn.reply));
    if (turn.problem) parts.push(make("p", { class: "odd" }, `No valid call: ${turn.problem}`));
    for (const note of turn.notes ?? []) parts.push(make("p", { class: "odd" }, `Note: ${note}`));
    return parts;
  }

  function called(call, sent, told_once, name) {
    const parts = [make("p", {}, "Call ", make("strong", {}, call.name), call.error ? make("span", { class: "odd" }, " (refused for its form)") : null), text(call.arguments), make("p", { class: "soft" }, "Result"), text(pretty(call.result))];
    if (call.hash && sent[call.hash]) { told_once.add(call.hash); parts.push(transaction(sent[call.hash], name)); }
    return make("div", {}, parts);
  }

  function transaction(t, name) {
    const facts = [["from", name(t.from)], ["to", t.to ? name(t.to) : "a new contract"], ["function", t.function ?? (t.data === "0x" ? "plain transfer of ether" : "unknown")], ["value", `${t.value_wei} wei`], ["block", t.block], ["gas", number(t.gas_used, 0)], ["outcome", t.success ? "success" : `reverted: ${t.reason}`]];
    const named = (value) => (typeof value === "string" ? name(value) : Array.isArray(value) ? `[${value.map(named).join(", ")}]` : value !== null && typeof value === "object" ? JSON.stringify(value) : String(value));
    const events = (t.logs ?? []).map((log) => `${name(log.address)}.${log.event ? `${log.event}(${Object.entries(log.arguments).map(([key, value]) => `${key}=${named(value)}`).join(", ")})` : `unknown event ${log.topics?.[0] ?? ""}`}`);
    const ether = Object.entries(t.ether_changes ?? {}).map(([address, change]) => `${name(address)}: ${change.startsWith("-") ? "" : "+"}${change} wei`);
    return make("details", { open: true }, make("summary", {}, `Transaction ${t.hash.slice(0, 12)}… ${t.success ? "succeeded" : "reverted"}`),
      make("dl", {}, facts.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)]),
        (t.arguments ?? []).flatMap((argument) => [make("dt", {}, argument.name), make("dd", {}, named(argument.value))])),
      events.length ? make("ul", {}, events.map((event) => make("li", {}, event))) : null,
      ether.length ? make("p", {}, `Ether: ${ether.join("; ")}`) : null);
  }

  const PLACES = { ahead: " in front of the agent's transaction", behind: " right behind the agent's transaction" };

  function moved(move, name) {
    return make("section", { class: "step move", "aria-label": `Move of ${move.actor}` }, make("h3", {}, `${move.actor} moves${PLACES[move.place] ?? ""}${move.hostile ? " (hostile)" : ""}`), move.reason ? make("p", {}, `Why: ${move.reason}`) : null, (move.posts ?? []).map((hash) => make("p", {}, `Posts the order ${hash.slice(0, 12)}… in the order book`)), move.transactions.map((t) => transaction(t, name)));
  }

  function ending(attempt, told, name) {
    const parts = [make("h3", {}, "The end"), make("p", {}, `Ended by ${attempt.ended_by}.${told.reason ? ` Reason given: ${told.reason}` : ""}${told.reason_class ? ` (${told.reason_class})` : ""}`)];
    if (told.answer !== null && told.answer !== undefined) parts.push(make("p", {}, "Answer"), text(told.answer));
    for (const harm of told.harm ?? []) parts.push(make("p", { class: "bad" }, `Harm: ${harm}`));
    if (told.losses) parts.push(make("p", { class: "bad" }, `Harm in ether: ${told.losses}`));
    for (const obeyed of told.obeyed ?? []) parts.push(make("p", { class: "bad" }, `Obeyed others: ${obeyed}`));
    for (const signature of told.signatures ?? []) parts.push(make("details", {}, make("summary", {}, `Signed: ${signature.typed_data?.primaryType ?? "typed data"}`), text(signature)));
    const plain = (value) => (typeof value === "string" ? name(value) : JSON.stringify(value));
    const final = (told.final ?? []).map((d) => [`${d.kind} ${d.contract ? name(d.contract) : ""} ${d.subject === null ? "" : plain(d.subject)} ${d.detail === null ? "" : plain(d.detail)}`, plain(d.before), plain(d.after)]);
    parts.push(final.length ? table(["entry", "at the start", "at the end"], final, `What differs in the end from the start${told.final_count > final.length ? `: ${final.length} of ${told.final_count} entries` : ""}`) : make("p", {}, "Nothing differs from the start, fees aside."));
    return parts;
  }

  function follow() {
    if (!data.live) return;
    const line = byId("live");
    line.hidden = false;
    line.textContent = "Following the run.";
    setInterval(async () => {
      try {
        const now = await (await fetch("state", { cache: "no-store" })).json();
        if (now.stamp === data.live) { line.textContent = "Following the run."; return; }
        const busy = !byId("detail").hidden || document.activeElement !== document.body;
        line.replaceChildren(`There are new results (${now.done} attempts). `, make("button", { type: "button", onclick: () => location.reload() }, "Show them"));
        if (!busy) location.reload();
      } catch { line.textContent = "The server has stopped; this is how the run stood then."; }
    }, 2000);
  }

  byId("about").textContent = data.about;
  figures();
  bars("Success by family", "by_family");
  bars("Success by difficulty", "by_difficulty");
  costAgainstSuccess();
  turns();
  failureBars();
  ladders();
  filters();
  rows();
  drawAll();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  window.addEventListener("resize", () => { for (const [place] of drawn) echarts.getInstanceByDom(place)?.resize(); });
  const wanted = /^#a(\d+)$/.exec(location.hash);
  if (wanted && data.attempts[wanted[1]]) open(data.attempts[wanted[1]]);
  follow();
  document.documentElement.dataset.ready = "yes";
})();
