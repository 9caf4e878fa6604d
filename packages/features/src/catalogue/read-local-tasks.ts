import type { AnalysisSource } from '../canary/analysis.js';
import type { JobTemplate } from '../tasks/job.js';
import type { WebhookEndpoint } from '../tasks/webhook.js';
import type { LocalTasks } from './task-catalog.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the part of a feature server's own configuration that its tasks are made from:
 * `{ webhooks: { NAME: { url, caBundle, timeoutMs } }, jobs: { NAME: { namespace, template } },
 * analyses: { NAME: { webhook: { url } } or { promQL: { url, query } } } }`.
 * @throws TypeError that says what is wrong, and where
 */
export function readLocalTasks(document: unknown): LocalTasks {
  const { webhooks = {}, jobs = {}, analyses = {}, ...others } = fields(document, 'the configuration');
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TypeError(`there is no ${other}; there are webhooks, jobs and analyses`);
  return {
    webhooks: each(webhooks, 'webhooks', webhook),
    jobs: each(jobs, 'jobs', job),
    analyses: each(analyses, 'analyses', analysis),
  };
}

function analysis(value: Fields, at: string): AnalysisSource {
  const { webhook: hook, promQL } = value;
  if ((hook === undefined) === (promQL === undefined)) throw new TypeError(`${at} must have either webhook or promQL`);
  if (hook !== undefined) return { webhook: webhook(fields(hook, `${at}.webhook`), `${at}.webhook`) };
  const { url, query } = fields(promQL, `${at}.promQL`);
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`${at}.promQL.url must be an http or https address`);
  }
  if (typeof query !== 'string' || query === '') throw new TypeError(`${at}.promQL.query is missing`);
  return { promQL: { url, query } };
}

function webhook(value: Fields, at: string): WebhookEndpoint {
  const { url, caBundle, timeoutMs } = value;
  if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).protocol !== 'https:') {
    throw new TypeError(`${at}.url must be an address that begins with https://`);
  }
  if (caBundle !== undefined && typeof caBundle !== 'string') throw new TypeError(`${at}.caBundle must be PEM text`);
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= 30_000)) {
    throw new TypeError(`${at}.timeoutMs must be between 1 and 30000`);
  }
  return { url, ...(caBundle !== undefined && { caBundle }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

function job(value: Fields, at: string): JobTemplate {
  const { namespace, template } = value;
  if (typeof namespace !== 'string' || namespace === '') throw new TypeError(`${at}.namespace is missing`);
  const { spec, ...rest } = fields(template, `${at}.template`);
  const { containers } = fields(spec, `${at}.template.spec`);
  if (!Array.isArray(containers) || containers.length === 0) {
    throw new TypeError(`${at}.template.spec.containers must have at least one container`);
  }
  return { namespace, template: { ...rest, spec } };
}

function each<T>(value: unknown, at: string, read: (value: Fields, at: string) => T): Readonly<Record<string, T>> {
  const entries = Object.entries(fields(value, at));
  return Object.fromEntries(entries.map(([name, one]) => [name, read(fields(one, `${at}.${name}`), `${at}.${name}`)]));
}

function fields(value: unknown, at: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new TypeError(`${at} must have fields by name`);
}
