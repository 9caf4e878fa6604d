import type { Process, Program } from './process.js';

/** The programs that get pages of other pods. What does not answer in the simulation is not simulated. */
export const httpCommands: Readonly<Record<string, Program>> = {
  curl: (process, args) => get(process, readCurl(args)),
  wget: (process, args) => get(process, readWget(args)),
};

interface WantedPage {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  /** Whether an answer such as 404 is a failure. */
  readonly fails: boolean;
  /** Exit code of such a failure, and of one to connect. */
  readonly codes: { readonly status: number; readonly connect: number };
  /** Whether the answer is written out. */
  readonly writes: boolean;
}

/** Flags with a value that changes nothing here. */
const idle = { curl: ['-m', '--max-time', '--connect-timeout', '--retry', '-o', '--output'], wget: ['-T', '-t', '-O'] };

/** Reads the arguments of `curl`; undefined where they have a flag that is not simulated. */
function readCurl(args: readonly string[]): WantedPage | undefined {
  let page: WantedPage = { url: '', method: 'GET', fails: false, codes: { status: 22, connect: 7 }, writes: true };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const value = args[at + 1] ?? '';
    if (!arg.startsWith('-')) page = { ...page, url: arg };
    else if (idle.curl.includes(arg)) {
      if (/^(-o|--output)$/.test(arg)) page = { ...page, writes: false };
      at++;
    } else if (arg === '-X' || arg === '--request') {
      if (value !== 'GET' && value !== 'POST') return undefined;
      page = { ...page, method: value };
      at++;
    } else if (arg === '-d' || arg === '--data') {
      page = { ...page, method: 'POST', body: value };
      at++;
    } else if (/^(-[gqsSkLf]+|--silent|--show-error|--fail|--location|--insecure)$/.test(arg)) {
      page = { ...page, fails: page.fails || arg === '--fail' || /^-[a-zA-Z]*f/.test(arg) };
    } else return undefined;
  }
  return page;
}

/** Reads the arguments of `wget`; undefined where they have a flag that is not simulated. */
function readWget(args: readonly string[]): WantedPage | undefined {
  let page: WantedPage = { url: '', method: 'GET', fails: true, codes: { status: 1, connect: 1 }, writes: false };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const [, data] = /^--post-data=([\s\S]*)$/.exec(arg) ?? [];
    if (!arg.startsWith('-')) page = { ...page, url: arg };
    else if (data !== undefined) page = { ...page, method: 'POST', body: data };
    else if (/^-q?O-?$/.test(arg)) {
      const file = arg.endsWith('-') ? '-' : args[++at];
      page = { ...page, writes: file === '-' };
    } else if (idle.wget.includes(arg)) at++;
    else if (!/^(-q|--timeout=\d+|--tries=\d+|--no-check-certificate)$/.test(arg)) return undefined;
  }
  return page;
}

async function get(process: Process, page: WantedPage | undefined): Promise<number> {
  const target = page && targetOf(page.url);
  if (!page || !target) return notSimulated(process, 'only pages of pods are simulated, by their addresses', 2);
  const { method, body, codes } = page;
  const answer = await process.request({ ...target, method, ...(body !== undefined && { body }) });
  const where = `${target.host} port ${target.port}`;
  if (!answer) return notSimulated(process, `Failed to connect to ${where}: Connection refused`, codes.connect);
  if (page.fails && answer.status >= 400) {
    process.err(`${process.path}: server returned error: HTTP ${answer.status}\n`);
    return codes.status;
  }
  if (page.writes) process.out(await answer.text());
  return 0;
}

function notSimulated(process: Process, why: string, code: number): number | Promise<number> {
  if (process.unknown) return process.unknown();
  process.err(`${process.path}: ${why}\n`);
  return code;
}

function targetOf(url: string): { readonly host: string; readonly port: number; readonly path: string } | undefined {
  const whole = /^[a-z]+:\/\//.test(url) ? url : `http://${url}`;
  if (!URL.canParse(whole)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(whole);
  if (protocol !== 'http:') return undefined;
  return { host: hostname, port: Number(port || '80'), path: `${pathname}${search}` };
}
