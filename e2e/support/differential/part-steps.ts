import type { Step } from './scenarios.js';

export const json = 'application/json';
/** What of the core group is in the namespace of a scenario. */
export const core = '/api/v1/namespaces/{ns}';
/** The node of a scenario, if it has one. */
export const nodeName = '{ns}-n';

export function post(path: string, body: unknown): Step {
  return { method: 'POST', path, contentType: json, body: JSON.stringify(body) };
}

export function patch(path: string, body: unknown, type = 'merge-patch+json'): Step {
  return { method: 'PATCH', path, contentType: `application/${type}`, body: JSON.stringify(body) };
}

export const read = (path: string): Step => ({ method: 'GET', path });
