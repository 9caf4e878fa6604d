import type { User } from '@slipway/api-machinery/identity/user';
import type { ManualClock } from '@slipway/kube/testing';
import type { ApiAnswer, ApiRequest, EncodedFrame, OpenWatch, RequestBody } from '../../request/request.js';
import { wholeText } from '../../response/payloads.js';
import type { ApiServer } from '../../server.js';
import { warningHeaders } from '../../transport/warning-header.js';
import { differences } from './compare.js';
import { withoutOwnFacts } from './own-facts.js';
import { Placeholders } from './placeholders.js';
import type { Scenario, Step } from './recording.js';

/** How one step went: `differences` is empty when we answered as the real server did. */
export interface Outcome {
  readonly step: Step;
  readonly differences: readonly string[];
}

/** A server under test, with the clock it lives by. */
export interface Subject {
  readonly api: ApiServer;
  readonly clock: ManualClock;
  /** Says what is drawn at random from now on. */
  readonly draw?: (drawn: Drawn) => void;
}

/** What the real server drew; what is absent is not to be seen. */
export interface Drawn {
  /** Of metadata.generateName. */
  readonly suffix?: string | undefined;
  readonly fraction?: number | undefined;
}

const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const compared = ['content-type', 'retry-after', 'cache-control', 'location', 'etag'];

/** Sends the requests of a scenario one after the other and compares what comes back. */
export async function replay(scenario: Scenario, subject: Subject): Promise<Outcome[]> {
  const known = new Placeholders();
  const streams = new Map<number, Stream>();
  await prepare(scenario, subject, known);
  const outcomes: Outcome[] = [];
  for (const step of scenario.steps) {
    for (const [token, { v, rv, start }] of Object.entries(step.continueTokens ?? {}))
      learnLater(known, token, v, rv, start);
    if (step.note?.startsWith('between these two steps 12 clients')) await patchTogether(subject, step);
    subject.draw?.({ suffix: suffixIn(step), fraction: fractionIn(step) });
    await learnHash(subject, step, known);
    const answer = await send(subject, requestOf(step, known));
    if (step.response.frames && answer.payload?.kind === 'watch') {
      streams.set(step.step, new Stream(step, answer.payload));
      await settle();
    } else {
      outcomes.push({ step, differences: compareAnswer(step, answer, known) });
    }
    for (const [opened, stream] of streams) {
      if ((stream.step.stream?.closedAfterStep ?? opened) > step.step) continue;
      streams.delete(opened);
      outcomes.push({ step: stream.step, differences: await stream.finish(subject, known) });
    }
  }
  return outcomes;
}

/** Some scenarios were recorded when their objects were already there from a first try. */
async function prepare(scenario: Scenario, subject: Subject, known: Placeholders): Promise<void> {
  if (!beganWithObjects(scenario)) return;
  for (const step of scenario.steps) {
    const isFirstMade = step.request.method === 'POST' && step.response.status < 300;
    if (step.request.method !== 'GET' && !isFirstMade) await send(subject, requestOf(step, known));
  }
}

function beganWithObjects({ steps }: Scenario): boolean {
  const made = new Set<string>();
  return steps.some(({ request, response }) => {
    if (request.method !== 'POST') return false;
    const key = `${request.path.replace(/\?.*/, '')} ${nameIn(request.body ?? request.bodyRepeat)}`;
    if (response.status < 300) made.add(key);
    return response.status === 409 && !made.has(key);
  });
}

function nameIn(body: unknown): string {
  return String((body as { metadata?: { name?: unknown } } | undefined)?.metadata?.name);
}

/** The request of a step, with what its placeholders stand for here. */
export function requestOf({ request, as }: Step, known: Placeholders): ApiRequest {
  const bytes = bytesOf(request, known);
  const body: RequestBody | undefined = bytes && { bytes };
  return {
    method: request.method ?? 'GET',
    path: known.fill(request.path).replaceAll(' ', '%20'),
    headers: JSON.parse(known.fill(JSON.stringify({ host: '127.0.0.1:1', ...request.headers }))),
    user: as === 'anonymous' ? undefined : as === undefined ? admin : { name: as, groups: ['system:authenticated'] },
    body,
  };
}

function bytesOf(request: Step['request'], known: Placeholders): Uint8Array | undefined {
  if (request.bodyBase64 !== undefined) return Buffer.from(request.bodyBase64, 'base64');
  if (request.bodyRepeat !== undefined) {
    const { prefix, unit, count, suffix } = request.bodyRepeat;
    return Buffer.from(`${prefix}${unit.repeat(count)}${suffix}`);
  }
  if (request.bodyText !== undefined) return Buffer.from(known.fill(request.bodyText));
  if (request.body !== undefined) return Buffer.from(known.fill(JSON.stringify(request.body)));
  return undefined;
}

/** The five characters that the real server drew, where they are not a placeholder. */
function suffixIn({ request, response }: Step): string | undefined {
  const base = (request.body as { metadata?: { generateName?: string } } | undefined)?.metadata?.generateName;
  const body = response.body as { metadata?: { name?: string }; details?: { name?: string } } | undefined;
  const name = body?.metadata?.name ?? body?.details?.name;
  return base === undefined || name === undefined || name.includes('<') ? undefined : name.slice(-5);
}

/** Which of the four separators of `/statusz` the real server drew. */
function fractionIn({ response }: Step): number | undefined {
  const [, separator = ''] = /^Started(: |:|=| ) /m.exec(response.text ?? '') ?? [];
  const at = [':', ': ', '=', ' '].indexOf(separator);
  return at < 0 ? undefined : at / 4;
}

/** An address with a hash was read in the index, which was not recorded. */
async function learnHash(subject: Subject, { request }: Step, known: Placeholders): Promise<void> {
  const [path = '', hash] = request.path.split('?hash=');
  if (!hash?.startsWith('<hash:') || known.has(hash)) return;
  const { headers } = await send(subject, { method: 'GET', path, headers: {}, user: admin });
  known.set(hash, headers.etag?.slice(1, -1) ?? '');
}

/** What happens between two steps of one scenario, as its note says. */
async function patchTogether(subject: Subject, { request }: Step): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patches = Array.from({ length: 12 }, (_, index) =>
    send(subject, {
      method: 'PATCH',
      path: request.path,
      headers,
      user: admin,
      body: { value: { metadata: { labels: { [`k${index}`]: 'v' } } } },
    }),
  );
  await Promise.all(patches);
}

/** Sends a request; time passes only while it waits for something. */
export async function send({ api, clock }: Subject, request: ApiRequest): Promise<ApiAnswer> {
  let answer: ApiAnswer | undefined;
  const asked = api.handle(request).then((given) => {
    answer = given;
  });
  await settle();
  for (let waited = 0; answer === undefined && waited < 100; waited++) await clock.advance(100);
  await asked;
  return answer as ApiAnswer;
}

/** Lists the differences of an answer from the recorded one, one line each. */
export function compareAnswer(step: Step, answer: ApiAnswer, known: Placeholders): string[] {
  const { response, note } = step;
  const found: string[] = [];
  if (answer.status !== response.status) found.push(`status: expected ${response.status}, got ${answer.status}`);
  for (const name of compared) {
    if (name === 'cache-control' && response.headers[name] === undefined) continue;
    found.push(
      ...differences(response.headers[name] ?? '', answer.headers[name] ?? '', known, false, `header ${name}`),
    );
  }
  const warning = warningHeaders(answer.warnings ?? []).join(', ');
  found.push(...differences(response.headers.warning ?? '', warning, known, false, 'header warning'));
  if (step.request.method === 'HEAD' || isDropped(response.body)) return found;
  if (response.text !== undefined)
    return [
      ...found,
      ...differences(withoutOwnFacts(response.text), withoutOwnFacts(textOf(answer)), known, false, 'text'),
    ];
  if (response.base64 !== undefined && answer.payload?.kind === 'bytes') {
    const sent = Buffer.from(answer.payload.bytes).toString('base64');
    return [...found, ...differences(response.base64, sent, known, false, 'base64')];
  }
  if (response.body === undefined) return found;
  const [expected, reduced] = reduce(withoutOwnFacts(response.body), withoutOwnFacts(bodyOf(answer)));
  return [...found, ...differences(expected, reduced, known, note !== undefined || isCut(expected), 'body')];
}

/** Recordings keep of some bodies only the names, or the items cut short. */
function reduce(expected: unknown, actual: unknown): [unknown, unknown] {
  const list = actual as { items?: { metadata: { name: string } }[]; metadata?: { name?: string } };
  const { kind, items = [] } = Object(expected) as { kind?: unknown; items?: { metadata: { name: string } }[] };
  if (kind === 'APIGroupDiscoveryList') {
    const kept = items.map((item) => item.metadata.name);
    return [expected, { ...list, items: list.items?.filter((item) => kept.includes(item.metadata.name)) }];
  }
  if (isSummary(expected)) return [expected, summaryOf(actual)];
  if (Array.isArray(expected)) return [expected, list.items?.map((item) => item.metadata.name)];
  if (typeof expected === 'string') return [expected, list.metadata?.name];
  return [expected, inOrderOf(expected, actual)];
}

interface Versions {
  readonly spec?: { readonly versions?: readonly unknown[] };
}

/** Of the versions of a definition, some recordings keep name and storage. */
function isSummary(body: unknown): boolean {
  return Array.isArray((Object(body) as Versions).spec?.versions?.[0]);
}

function summaryOf(body: unknown): unknown {
  const { spec, ...rest } = Object(body) as Versions;
  const versions = (spec?.versions as { name: string; storage: boolean }[] | undefined) ?? [];
  return { ...rest, spec: { ...spec, versions: versions.map(({ name, storage }) => [name, storage]) } };
}

interface Refusal {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/**
 * The real server visits fields in no order, so its list of what is wrong has none: ours is put into that of the
 * recording.
 */
function inOrderOf(expected: unknown, actual: unknown): unknown {
  const wanted = (Object(expected) as Refusal).details?.causes ?? [];
  const refusal = Object(actual) as Refusal;
  const given = refusal.details?.causes ?? [];
  const textsOf = (causes: typeof wanted) => causes.map(({ field, message }) => `${field}: ${message}`);
  const list = (causes: typeof wanted) => `[${[...new Set(textsOf(causes))].join(', ')}]`;
  const isSame = JSON.stringify(textsOf(wanted).sort()) === JSON.stringify(textsOf(given).sort());
  if (wanted.length < 2 || !isSame) return actual;
  const message = refusal.message?.replace(list(given), () => list(wanted));
  return { ...refusal, message, details: { ...refusal.details, causes: wanted } };
}

/** Of some bodies only what mattered was kept. */
function isCut(body: unknown): boolean {
  const { apiVersion, items } = Object(body) as { apiVersion?: unknown; items?: { kind?: unknown }[] };
  return apiVersion === undefined || (Array.isArray(items) && items[0] !== undefined && items[0].kind === undefined);
}

function isDropped(body: unknown): boolean {
  return body === '(dropped)' || body === '(indented JSON)';
}

function textOf({ payload }: ApiAnswer): string {
  if (payload?.kind === 'text') return payload.text;
  if (payload?.kind !== 'json') return '';
  return wholeText(payload.json);
}

function bodyOf(answer: ApiAnswer): unknown {
  const text = textOf(answer);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A token of the recording, made of what its parts stand for here. */
function learnLater(known: Placeholders, token: string, v: string, rv: string, start: string): void {
  const version = Number(known.fill(rv));
  // Tokens of our own are learnt from our answers; invented ones must be invented here.
  if (v === 'meta.k8s.io/v1' && start.endsWith('\0') && start.startsWith('/')) return;
  known.set(token, Buffer.from(JSON.stringify({ v, rv: version, start })).toString('base64url'));
}

/** An open watch, collecting. */
class Stream {
  readonly step: Step;
  readonly #frames: EncodedFrame[] = [];
  readonly #watch: OpenWatch;
  #ended = false;

  constructor(step: Step, payload: Extract<ApiAnswer['payload'], { kind: 'watch' }>) {
    this.step = step;
    this.#watch = payload.open({
      event: (frame) => void this.#frames.push(frame),
      end: () => {
        this.#ended = true;
      },
    });
  }

  async finish({ clock }: Subject, known: Placeholders): Promise<string[]> {
    const { frames: expected = [], end } = this.step.response;
    await settle();
    for (let waited = 0; end === 'server' && !this.#ended && waited < 100; waited++) await clock.advance(100);
    const found = end === 'server' && !this.#ended ? ['the stream did not end'] : [];
    if (end === 'client' && this.#ended) found.push('the stream ended by itself');
    this.#watch.close();
    const got = this.#frames.map((frame) => JSON.parse(frame.line()) as { type: string; object: unknown });
    const wanted = expected.map(({ type, object }) => ({ type, object }));
    return [...found, ...differences(wanted, got, known, this.step.note !== undefined, 'frames')];
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
