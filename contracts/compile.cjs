// Compiles contracts/src with solc-js and writes one JSON file a contract, the sources that the contracts are made of, and
// the licences of the code in them. Scripts of pages, ready-made in a package, are copied beside them.
//   node compile.cjs <folder that holds node_modules> <output folder>
// catalog.json says which contracts of other packages become artifacts too, how to compile, and which licences may be in.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");

const here = __dirname;
const [dependencies, output] = process.argv.slice(2).map((folder) => path.resolve(folder));
const modules = path.join(dependencies, "node_modules");
const catalog = readJson(path.join(here, "catalog.json"));
const outputs = ["abi", "metadata", "evm.bytecode.object", "evm.deployedBytecode.object", "evm.deployedBytecode.immutableReferences"];

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function sha256(text) {
  return crypto.createHash("sha256").update(text).digest("hex");
}

// The folder of a package inside node_modules, nested ones included, for a source in it; "" for our own sources.
function packageFolder(unit) {
  if (unit.startsWith("src/")) return "";
  const parts = unit.split("/");
  const start = parts.lastIndexOf("node_modules") + 1;
  return parts.slice(0, start + (parts[start].startsWith("@") ? 2 : 1)).join("/");
}

function describePackage(folder) {
  if (folder === "") {
    return { package: "nftbench", version: readJson(path.join(here, "package.json")).version, license: "Apache-2.0" };
  }
  const { name, version, license } = readJson(path.join(modules, folder, "package.json"));
  return { package: name, version, license };
}

// solc resolves imports by text alone: send the imports of a package with nested dependencies to its own copies.
function nestedRemappings() {
  const lock = readJson(path.join(dependencies, "package-lock.json"));
  return Object.keys(lock.packages)
    .filter((key) => key.split("node_modules/").length === 3)
    .map((key) => key.replace(/^node_modules\//, "").split("/node_modules/"))
    .map(([outer, inner]) => `${outer}/:${inner}/=${outer}/node_modules/${inner}/`);
}

function ownSources() {
  const folder = path.join(here, "src");
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".sol")).sort();
  return Object.fromEntries(names.map((name) => [`src/${name}`, fs.readFileSync(path.join(folder, name), "utf8")]));
}

function packagedSources() {
  return Object.fromEntries(catalog.compiled.map(({ source }) => [source, findImport(source).contents ?? fail(`no file ${source}`)]));
}

function findImport(unit) {
  const file = path.join(modules, unit);
  return fs.existsSync(file) ? { contents: fs.readFileSync(file, "utf8") } : { error: `no file ${unit}` };
}

// One standard-JSON run. Warnings count as errors in our own sources and not at all in those of others.
function compile(sources) {
  const solc = createRequire(path.join(modules, "solc", "package.json"))("./index.js");
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([unit, content]) => [unit, { content }])),
    settings: {
      ...catalog.settings,
      remappings: nestedRemappings(),
      outputSelection: Object.fromEntries(Object.keys(sources).map((unit) => [unit, { "*": outputs }])),
    },
  };
  const result = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }));
  const reports = (result.errors ?? []).filter(({ severity, sourceLocation }) =>
    severity === "error" || (severity === "warning" && (sourceLocation?.file ?? "").startsWith("src/")));
  const problems = reports.map((report) => report.formattedMessage).join("\n");
  return { version: solc.version().replace(/\.Emscripten.*$/, ""), contracts: result.contracts ?? {}, problems };
}

// The same on another core.
function compileAside(sources) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { argv: process.argv.slice(2), workerData: sources });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

function checkLicense(license, what) {
  const known = catalog.licenseSpellings[license] ?? license;
  if (catalog.licenses.includes(known)) return known;
  return fail(`${what} is under ${license}, which is not one of ${catalog.licenses.join(", ")}`);
}

// A source and all that it imports, itself first, in the order in which the imports are met. Where an import leads follows from
// the compiler's own list of sources: by its own name, by a remapping of the compilation, or beside the file.
function withImports(unit, sources, remappings) {
  const found = [unit];
  for (let at = 0; at < found.length; at++) {
    const text = sources[found[at]].replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
    for (const [, wanted] of text.matchAll(/\bimport\s+(?:[^"';]*?\bfrom\s+)?["']([^"']+)["']/g)) {
      const next = imported(wanted, found[at], remappings).find((each) => each in sources);
      if (next === undefined) fail(`${found[at]} imports ${wanted}, which is not among the sources`);
      if (!found.includes(next)) found.push(next);
    }
  }
  return found;
}

function imported(wanted, from, remappings) {
  if (wanted.startsWith(".")) return [path.posix.join(path.posix.dirname(from), wanted)];
  const fitting = remappings
    .map((each) => /^(?:(.*?):)?(.*?)=(.*)$/.exec(each).slice(1))
    .filter(([context, prefix]) => from.startsWith(context ?? "") && wanted.startsWith(prefix))
    .sort((one, other) => (other[0] ?? "").length - (one[0] ?? "").length || other[1].length - one[1].length);
  return [...fitting.map(([, prefix, target]) => target + wanted.slice(prefix.length)), wanted];
}

// The names under which sources are kept, and their texts.
function keptSources(units, sources, prefix) {
  return Object.fromEntries(units.map((unit) => [prefix + unit, sources[unit]]));
}

function isWanted(unit, name, contract) {
  if (contract.evm.bytecode.object === "") return false;
  return unit.startsWith("src/") || catalog.compiled.some((entry) => entry.source === unit && entry.contract === name);
}

// Where the runtime code has gaps for values set at construction. The compiler's keys are node numbers that change with
// unrelated sources, so the values are numbered by the place where they first occur.
function immutableReferences(references) {
  const places = Object.values(references ?? {}).sort((one, other) => one[0].start - other[0].start);
  return places.length > 0 ? { immutableReferences: { ...places } } : {};
}

function compiledArtifact(name, unit, contract, version) {
  const sources = JSON.parse(contract.metadata).sources;
  const licenses = Object.fromEntries(Object.entries(sources).map(([each, { license }]) => [each, checkLicense(license, each)]));
  const folder = packageFolder(unit);
  const folders = new Set(Object.keys(sources).map(packageFolder));
  const main = describePackage(folder);
  const artifact = {
    name,
    abi: contract.abi,
    bytecode: `0x${contract.evm.bytecode.object}`,
    deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
    ...immutableReferences(contract.evm.deployedBytecode.immutableReferences),
    compiler: { version, settings: catalog.settings },
    source: {
      package: main.package,
      version: main.version,
      path: folder === "" ? `contracts/${unit}` : unit.slice(folder.length + 1),
      license: licenses[unit],
      includes: [...folders].filter((each) => each !== folder).sort().map(describePackage),
    },
    sourceHash: sha256(JSON.stringify(Object.entries(sources).map(([each, { keccak256 }]) => [each, keccak256]).sort())),
  };
  const texts = Object.fromEntries(Object.keys(sources).map((each) => [each, sourceText(each)]));
  const kept = keptSources(withImports(unit, texts, nestedRemappings()), texts, "");
  return { artifact: { ...artifact, sources: Object.keys(kept) }, folders, kept };
}

function sourceText(unit) {
  return fs.readFileSync(path.join(unit.startsWith("src/") ? here : modules, unit), "utf8");
}

// An artifact that a package ships ready-made, in hardhat's form with the compiler's input beside it.
function shippedArtifact({ contract: name, package: folder, path: inside }) {
  const shipped = readJson(path.join(modules, folder, inside));
  const root = inside.slice(0, inside.indexOf("/artifacts/") + "/artifacts/".length);
  const build = readJson(path.join(modules, folder, root, "build-info", `${shipped.buildInfoId}.json`));
  const { outputSelection, ...settings } = build.input.settings;
  const sources = Object.entries(build.input.sources).filter(([unit]) => !/\/test\/|\/solmate@/.test(unit));
  for (const [unit, { content }] of sources) checkLicense(/SPDX-License-Identifier: (\S+)/.exec(content)?.[1], unit);
  const main = describePackage(folder);
  const artifact = {
    name,
    abi: shipped.abi,
    bytecode: shipped.bytecode,
    deployedBytecode: shipped.deployedBytecode,
    ...immutableReferences(shipped.immutableReferences),
    compiler: { version: build.solcLongVersion, settings },
    source: { package: main.package, version: main.version, path: inside, license: main.license, includes: [] },
    sourceHash: sha256(JSON.stringify(sources.map(([unit, { content }]) => [unit, sha256(content)]).sort())),
  };
  const texts = Object.fromEntries(Object.entries(build.input.sources).map(([unit, { content }]) => [unit, content]));
  const units = withImports(shipped.inputSourceName ?? shipped.sourceName, texts, settings.remappings ?? []);
  const kept = keptSources(units, texts, `${folder}/`);
  return { artifact: { ...artifact, sources: Object.keys(kept) }, folders: new Set([folder]), kept };
}

// The licence file that the package ships, or the text kept in contracts/licenses where it ships none.
function licenseText(folder) {
  const { package: name, license } = describePackage(folder);
  checkLicense(license, name);
  const shipped = fs.readdirSync(path.join(modules, folder)).find((file) => /^licen[cs]e/i.test(file));
  if (shipped) return fs.readFileSync(path.join(modules, folder, shipped), "utf8");
  const kept = catalog.licenseTexts[name] ?? fail(`${name} ships no licence text and catalog.json names none`);
  return fs.readFileSync(path.join(here, "licenses", kept), "utf8");
}

function writeAll(made) {
  const names = new Set();
  const folders = new Set(made.flatMap((each) => [...each.folders]));
  folders.delete("");
  fs.mkdirSync(path.join(output, "licenses"), { recursive: true });
  for (const { artifact } of made) {
    if (names.has(artifact.name)) fail(`two contracts are named ${artifact.name}`);
    names.add(artifact.name);
    fs.writeFileSync(path.join(output, `${artifact.name}.json`), `${JSON.stringify(artifact)}\n`);
  }
  for (const [unit, text] of Object.entries(Object.assign({}, ...made.map((each) => each.kept)))) {
    const file = path.join(output, "sources", unit);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  for (const { package: folder, path: inside, bundles } of catalog.scripts) {
    const file = path.join(output, "scripts", path.basename(inside));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.copyFileSync(path.join(modules, folder, inside), file);
    for (const each of [folder, ...bundles]) folders.add(each);
  }
  for (const folder of folders) {
    const { package: name, version } = describePackage(folder);
    const file = `${name.replace(/^@/, "").replaceAll("/", "-")}-${version}.txt`;
    fs.writeFileSync(path.join(output, "licenses", file), licenseText(folder));
  }
}

async function main() {
  const aside = compileAside(packagedSources());
  const runs = [compile(ownSources()), await aside];
  const problems = runs.map((run) => run.problems).filter(Boolean);
  if (problems.length > 0) fail(problems.join("\n"));
  const made = catalog.shipped.map(shippedArtifact);
  for (const { version, contracts } of runs) {
    for (const [unit, inUnit] of Object.entries(contracts)) {
      for (const [name, contract] of Object.entries(inUnit)) {
        if (isWanted(unit, name, contract)) made.push(compiledArtifact(name, unit, contract, version));
      }
    }
  }
  writeAll(made);
}

if (isMainThread) main();
else parentPort.postMessage(compile(workerData));
