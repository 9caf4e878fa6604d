// @ts-check
/**
 * Draws docs/images/turn-a-feature-off.svg: what a terminal shows while a feature is turned off on a
 * cluster started for this run. Build first, then: node tools/terminal-picture.mjs
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const picture = join(root, 'docs/images/turn-a-feature-off.svg');
const fontSize = 13;
const charWidth = fontSize * 0.602;
const lineHeight = 18;
const margin = 16;
const maxColumns = 100;

const commands = [
  './slipway feature on MaxUnavailableStatefulSet --yes --wait',
  'kubectl apply -f examples/kep-961/stateful-sets.yaml',
  './slipway feature off MaxUnavailableStatefulSet --yes --wait',
  './slipway feature get MaxUnavailableStatefulSet | head -n 8',
];

const home = mkdtempSync(join(tmpdir(), 'slipway-picture-'));
const kubeconfig = join(home, 'kubeconfig');
const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig, NO_COLOR: '1' };
const cluster = spawn('./slipway', ['up', '--ephemeral', '--port', '0', '--kubeconfig', kubeconfig], {
  cwd: root,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await isReady();
  const lines = commands.flatMap((command) => [`$ ${command}`, ...outputOf(command)]);
  writeFileSync(picture, drawLines(lines));
} finally {
  cluster.kill('SIGTERM');
  await new Promise((resolve) => cluster.once('close', resolve));
  rmSync(home, { recursive: true, force: true });
}

/** Resolves once `up` has printed how to use the cluster. */
async function isReady() {
  let printed = '';
  for await (const chunk of cluster.stdout) {
    printed += chunk;
    if (printed.includes('kubectl')) {
      cluster.stdout.resume();
      return;
    }
  }
  throw new Error(`slipway up ended before it was ready:\n${printed}`);
}

/** @param {string} command */
function outputOf(command) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `${command} 2>&1`], { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} exited with ${status}:\n${stdout}${stderr}`);
  return stdout.trimEnd().split('\n');
}

/** @param {string[]} lines */
function drawLines(lines) {
  const shown = lines.flatMap(wrapLine);
  const columns = Math.max(...shown.map((line) => line.length));
  const width = Math.ceil(columns * charWidth) + 2 * margin;
  const height = shown.length * lineHeight + 2 * margin;
  const rows = shown.map((line, index) => {
    const y = margin + (index + 0.75) * lineHeight;
    const color = line.startsWith('$ ') ? ' fill="#7ee787"' : '';
    return `<text x="${margin}" y="${y}"${color} xml:space="preserve">${escapeXml(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>A terminal in which a feature is turned on, used, and turned off</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${fontSize}" fill="#e6edf3">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** @param {string} line */
function wrapLine(line) {
  const rows = [];
  let rest = line;
  while (rest.length > maxColumns) {
    const space = rest.lastIndexOf(' ', maxColumns);
    const end = space > maxColumns / 2 ? space : maxColumns;
    rows.push(rest.slice(0, end));
    rest = `    ${rest.slice(end).trimStart()}`;
  }
  return [...rows, rest];
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
