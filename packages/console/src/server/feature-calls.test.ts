import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { Feature, FeatureDefinition } from '@slipway/features';
import { Kube } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import type { PlanDocument } from '../actions/feature-plan.js';
import { consoleApi } from './api.js';

const apiVersion = 'features.slipway.dev/v1alpha1';
const metadata = { name: 'widgets', namespace: 'acme' };
const where = { namespace: 'acme', name: 'widgets' };

/** A console over a feature that is off and has a definition. */
function prepared() {
  const api = inMemoryApi();
  const status = { state: 'Off' as const, settable: { mode: 'Dynamic' as const }, transitions: 1 };
  api.seed(Feature, { apiVersion, kind: 'Feature', metadata, spec: { gate: 'Widgets' }, status });
  api.seed(FeatureDefinition, {
    apiVersion,
    kind: 'FeatureDefinition',
    metadata,
    spec: { gate: 'Widgets', dynamic: 'Live', components: [{ name: 'widgetd' }] },
  });
  const serving = consoleApi({ kube: new Kube(api), cluster: 'test', limiters: [] });
  const call = async (name: string, given: Record<string, unknown>) => {
    const [method = '', path = ''] = name.split(' ');
    const sent = answered();
    const query = new URLSearchParams(given as Record<string, string>);
    const body = method === 'POST' ? { body: given } : {};
    await serving.answer({
      method,
      path,
      query,
      ...body,
      response: sent.response,
      signal: new AbortController().signal,
    });
    return { status: sent.status(), body: JSON.parse(sent.text()) as Record<string, unknown> };
  };
  const desired = () => (api.stored(Feature)[0] as Feature | undefined)?.spec.desired;
  return { call, desired, plan: () => call('GET /api/feature/plan', { ...where, deed: 'On' }) };
}

/** As much of a response as an answer needs. */
function answered() {
  const written = new PassThrough();
  let code = 0;
  const response = Object.assign(written, {
    headersSent: false,
    writeHead(status: number) {
      code = status;
      response.headersSent = true;
      return response;
    },
  });
  return {
    response: response as unknown as ServerResponse,
    status: () => code,
    text: () => String(written.read() ?? ''),
  };
}

test('a feature is turned by the plan that was shown', async () => {
  const { call, desired, plan } = prepared();
  const { status, body } = await plan();
  expect({ status, ...body }, JSON.stringify(body)).toMatchObject({
    status: 200,
    gate: 'Widgets',
    deed: 'On',
    isDeclared: true,
    change: 'begin',
  });
  const { shown } = body as unknown as PlanDocument;
  expect(await call('POST /api/feature/do', { ...where, deed: 'On', shown })).toEqual({ status: 200, body: {} });
  expect(desired()).toBe('On');
});

test('nothing is done by a plan that is not the one that was shown', async () => {
  const { call, desired } = prepared();
  const answer = await call('POST /api/feature/do', { ...where, deed: 'On', shown: 'another' });
  expect(answer).toMatchObject({ status: 409, body: { plan: { gate: 'Widgets' } } });
  expect(desired()).toBeUndefined();
});

// call | what is given | status | what is told
test.each([
  ['POST /api/feature/do', { ...where, deed: 'On' }, 400, { error: 'shown is not given' }],
  ['GET /api/feature/plan', { ...where, deed: 'Sideways' }, 400, {}],
  ['GET /api/feature/plan', { namespace: 'acme', deed: 'On' }, 400, { error: 'name is not given' }],
  ['GET /api/feature/plan', { namespace: 'acme', name: 'none', deed: 'On' }, 200, { problem: { kind: 'refused' } }],
  ['GET /api/feature/plan', { ...where, deed: 'Approve' }, 200, { problem: { kind: 'refused' } }],
  ['POST /api/feature/plan', { ...where, deed: 'On' }, 404, {}],
  ['GET /api/constructor', {}, 404, {}],
])('%s with %j is answered with %i', async (name, given, status, told) => {
  const { call } = prepared();
  expect(await call(name, given)).toMatchObject({ status, body: told });
});
