import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@slipway/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { parseAmounts } from '../planner/amounts.js';
import { webhookActuator } from './webhook-actuator.js';

const operation = {
  node: 'vm-1',
  operationID: 'op-1',
  from: parseAmounts({ cpu: '4', memory: '16Gi' }),
  to: parseAmounts({ cpu: '4', memory: '32Gi' }),
};
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});

async function receiver(answer: (body: string, request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    answer(body, request, response);
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const clock = new ManualClock();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/resize`;
  return { clock, actuator: webhookActuator({ name: 'lab', resources: ['memory'], url, secret: 's3cret', clock }) };
}

test('the receiver can check who asks', async () => {
  let isGenuine = false;
  const { actuator } = await receiver((body, { headers }, response) => {
    const signed = `${headers['x-slipway-timestamp']}.${body}`;
    const expected = `sha256=${createHmac('sha256', 's3cret').update(signed).digest('hex')}`;
    isGenuine = headers['x-slipway-signature'] === expected;
    response.end(JSON.stringify({ state: 'Done', granted: { memory: JSON.parse(body).to.memory } }));
  });
  expect(await actuator.ensure(operation, AbortSignal.timeout(10_000))).toMatchObject({
    state: 'Done',
    granted: { memory: operation.to.memory },
  });
  expect(isGenuine).toBe(true);
});

test('a receiver that is ill for a moment is asked again, about the same operation', async () => {
  const asked: string[] = [];
  const { actuator, clock } = await receiver((body, _, response) => {
    asked.push(JSON.parse(body).operationID);
    response.statusCode = asked.length < 3 ? 503 : 200;
    response.end('{"state":"Done"}');
    setImmediate(() => clock.advance(1_000));
  });
  const answer = actuator.ensure(operation, AbortSignal.timeout(10_000));
  const ticking = setInterval(() => void clock.advance(1_000), 5);
  expect(await answer).toMatchObject({ state: 'Done' });
  clearInterval(ticking);
  expect(asked).toEqual(['op-1', 'op-1', 'op-1']);
});

test('a receiver that refuses is not asked again, and has told us nothing of the machine', async () => {
  let asked = 0;
  const { actuator } = await receiver((_, __, response) => {
    asked++;
    response.statusCode = 403;
    response.end();
  });
  expect(await actuator.observe(operation, AbortSignal.timeout(10_000))).toEqual({
    state: 'Unknown',
    message: 'lab: HTTP 403',
  });
  expect(asked).toBe(1);
});
