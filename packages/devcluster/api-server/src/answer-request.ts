import { tooLarge } from '@slipway/api-machinery/errors/status-errors';
import type { AccessControl, KnownRequest } from './access.js';
import type { RemoteGroups } from './aggregation/remote-groups.js';
import type { Core } from './core/core.js';
import type { Discovery } from './discovery/discovery.js';
import type { FlowControl } from './flow-control/flow-control.js';
import { handleResource } from './handle-resource.js';
import { inFlow } from './in-flow.js';
import { type HealthCheck, health, healthPaths, isHealthPath } from './nonresource/health.js';
import type { Pages } from './nonresource/pages.js';
import { root } from './nonresource/root.js';
import type { OpenApi } from './openapi/openapi.js';
import { type Address, routed } from './request/address.js';
import { type ApiAnswer, type ApiRequest, bodyLimit } from './request/request.js';
import { parseRequestPath } from './request/request-path.js';
import { requireTimeout, timeLimitMs } from './request/request-timeout.js';

/** The parts of the server that answer requests, each those of some paths. */
export interface AnsweringParts {
  readonly access: AccessControl;
  readonly flows: FlowControl;
  readonly core: Core;
  readonly remotes: RemoteGroups;
  readonly pages: Pages;
  readonly checks: readonly HealthCheck[];
  readonly openapi: OpenApi;
  readonly discovery: Discovery;
}

/** Answers one request; `startedMs` is when it arrived by the server's monotonic clock. */
export type AnswerRequest = (request: ApiRequest, address: Address, startedMs: number) => Promise<ApiAnswer>;

/** Returns a function that authenticates a request, waits until its flow admits it, authorizes it and finds its handler. */
export function answerRequest(parts: AnsweringParts): AnswerRequest {
  const { access, flows, core } = parts;
  return async (request, address, startedMs) => {
    if (request.body && 'bytes' in request.body && request.body.bytes.length > bodyLimit) {
      throw tooLarge(`limit is ${bodyLimit}`);
    }
    requireTimeout(address);
    const known = await access.identify(request, address);
    return inFlow(flows, known, { clock: core.clock, startedMs }, () => {
      access.requireAllowed(known);
      return dispatch(parts, known, address);
    });
  };
}

async function dispatch(parts: AnsweringParts, { request }: KnownRequest, address: Address): Promise<ApiAnswer> {
  const { core, remotes, pages, checks, openapi, discovery } = parts;
  const { query } = address;
  const { path, parts: segments, parsed } = routed(address, core.version);
  const page = pages.at(path);
  if (page) return page(request);
  const healthy = isHealthPath(segments) && health(checks, request, segments, query);
  if (healthy) return healthy;
  if (segments[1] === 'openapi') {
    const described = remotes.at(parseRequestPath(path.replace(/^\/openapi\/v3/, '')));
    return described ? remotes.passOn(described, request, timeLimitMs(address)) : openapi.answer(request, path, query);
  }
  const remote = remotes.at(parsed);
  if (remote) return remotes.passOn(remote, request, timeLimitMs(address));
  switch (parsed.kind) {
    case 'resource':
      return handleResource(core, request, parsed.resource, query);
    case 'discovery':
      // A server may have no core group; such a one is not behind the aggregator, which answers to /apis/.
      if (!core.definitions.serves('') && (segments[1] === 'api' || address.path === '/apis/')) break;
      return discovery.answer(parsed, segments[1] === 'api' ? 'api' : 'apis', request);
    case 'other':
      break;
  }
  return root(path, core.definitions, [...healthPaths(checks), ...pages.paths()]);
}
