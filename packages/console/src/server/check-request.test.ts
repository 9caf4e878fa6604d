import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { checkRequest } from './check-request.js';

const hosts = ['127.0.0.1:7420', 'localhost:7420'];
const own = { host: '127.0.0.1:7420', origin: 'http://127.0.0.1:7420', 'sec-fetch-site': 'same-origin' };
const json = { 'content-type': 'application/json' };
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

// what | method | headers | status of the refusal
test.each<[string, string, IncomingHttpHeaders, number | undefined]>([
  ['a page of its own', 'GET', own, undefined],
  ['the other name of this machine', 'GET', { host: 'localhost:7420' }, undefined],
  ['the name in another case', 'GET', { host: 'LOCALHOST:7420' }, undefined],
  ['a name that was rebound', 'GET', { host: 'evil.example:7420' }, 421],
  ['a name that begins alike', 'GET', { host: '127.0.0.1:7420.evil.example' }, 421],
  ['another port', 'GET', { host: '127.0.0.1:80' }, 421],
  ['no name', 'GET', {}, 421],
  ['a page of another site', 'GET', { ...own, origin: 'http://evil.example' }, 403],
  ['a page of another port', 'GET', { ...own, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }, 403],
  ['a page without an origin of its own', 'GET', { ...own, origin: 'null' }, 403],
  ['the same address over https', 'GET', { ...own, origin: 'https://127.0.0.1:7420' }, 403],
  [
    'an image on another site',
    'GET',
    { host: own.host, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
    403,
  ],
  [
    'a frame on another site',
    'GET',
    { host: own.host, 'sec-fetch-site': 'cross-site', ...navigation, 'sec-fetch-dest': 'iframe' },
    403,
  ],
  ['a link on another site', 'GET', { host: own.host, 'sec-fetch-site': 'cross-site', ...navigation }, undefined],
  ['a form on another site', 'POST', { ...own, 'sec-fetch-site': 'cross-site', ...navigation }, 403],
  ['a POST of its own', 'POST', { ...own, ...json }, undefined],
  ['a POST that names its charset', 'POST', { ...own, 'content-type': 'application/json; charset=utf-8' }, undefined],
  ['a POST without an origin', 'POST', { host: own.host, ...json }, 403],
  ['a POST of a form', 'POST', { ...own, 'content-type': 'text/plain' }, 415],
  ['another method', 'PUT', { ...own, ...json }, 405],
  ['a preflight', 'OPTIONS', { host: own.host, origin: 'http://evil.example' }, 403],
])('checkRequest() of %s: %s', (_what, method, headers, status) => {
  expect(checkRequest({ method, headers, hostHeaders: headers.host ? 1 : 0 }, hosts)?.status).toBe(status);
});

test('checkRequest() rejects a request with two Host headers', () => {
  expect(checkRequest({ method: 'GET', headers: own, hostHeaders: 2 }, hosts)?.status).toBe(421);
});
