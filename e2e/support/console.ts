import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../tools/real-parts.js';
import { slipwayProgram } from './slipway.js';

/** A `slipway console` in a process of its own. */
export interface ConsoleProcess extends AsyncDisposable {
  readonly url: string;
  /** The address that signs in once. */
  readonly address: string;
  readonly process: ChildProcess;
  /** SIGTERM, and resolves when it has ended. */
  end(): Promise<void>;
}

/** Starts `slipway console` over the cluster of a kubeconfig. */
export async function startConsole(
  kubeconfig: string,
  { port = 0, flags = [] }: { readonly port?: number; readonly flags?: readonly string[] } = {},
): Promise<ConsoleProcess> {
  const words = ['console', '--kubeconfig', kubeconfig, '--port', String(port), '-o', 'json', ...flags];
  const child = spawn(process.execPath, [slipwayProgram, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    void ended.then(() => reject(new Error('slipway console ended before it was ready')));
  });
  const { url, address } = JSON.parse(line) as { url: string; address: string };
  return {
    url,
    address,
    process: child,
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A browser that writes down what a page complains about, and what it asks of another place than the console. */
export async function watchedBrowser(
  url: string,
  executablePath = findChromium() ?? '',
): Promise<{
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: readonly string[];
}> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(`asked ${request.url()}`);
  });
  return { browser, context, page, complaints };
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Lists the violations that axe finds in a page as it is now. */
export async function axeProblems(page: Page): Promise<readonly string[]> {
  // The policy of the page admits no script but its own, so that this one comes from the debugger.
  const { readFileSync } = await import('node:fs');
  await page.evaluate(readFileSync(axePath, 'utf8'));
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Opens the address, and waits until the browser is signed in: then the first page is drawn. */
export async function signIn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
}

/** The cells of a table in the page, a list for each row that is drawn; all as they are at one moment. */
export async function cellsOf(page: Page, table: string, names: readonly string[]): Promise<string[][]> {
  const rows = `[role="table"][aria-label=${JSON.stringify(table)}] .table-body .row`;
  const text = `${JSON.stringify(names)}.map((name) => row.querySelector('.cell-' + name).innerText)`;
  return (await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(rows)})].map((row) => ${text})`,
  )) as string[][];
}

/** By how much a page is wider than the window, for each width of the window. */
export async function overhang(page: Page, widths: readonly number[]): Promise<Readonly<Record<number, number>>> {
  const found: Record<number, number> = {};
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    // Tables hear of the width with the next frame, and are drawn with the one after it.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    found[width] = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  }
  return found;
}
