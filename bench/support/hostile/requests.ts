import { configMaps, fill, type HostileInput, many, mebibyte } from './input.js';

const webSocket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** Addresses, headers and questions to the server. */
export const hostileRequests: readonly HostileInput[] = [
  { what: 'an address of 60 KB', method: 'GET', path: `/${'a'.repeat(60_000)}` },
  { what: 'an address of 60 KB of slashes', method: 'GET', path: '/'.repeat(60_000) },
  { what: 'an address of 70 KB', method: 'GET', path: `/${'a'.repeat(70_000)}` },
  { what: 'a header of 70 KB', method: 'GET', path: configMaps, headers: { 'x-flood': 'a'.repeat(70_000) } },
  {
    what: '2,000 headers',
    method: 'GET',
    path: configMaps,
    headers: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x-${index}`, 'a'])),
  },
  {
    what: 'a label selector of 60 KB',
    method: 'GET',
    path: `${configMaps}?labelSelector=${many(6_000, (index) => `k${index}!=v`)}`,
  },
  {
    what: 'a set of 60 KB in a label selector',
    method: 'GET',
    path: `${configMaps}?labelSelector=a+in+(${many(12_000, (index) => `v${index % 999}`)})`,
  },
  {
    what: 'brackets of 60 KB as a label selector',
    method: 'GET',
    path: `${configMaps}?labelSelector=${'('.repeat(60_000)}`,
  },
  {
    what: 'a field selector of 60 KB',
    method: 'GET',
    path: `${configMaps}?fieldSelector=${many(3_000, () => 'metadata.name=x')}`,
  },
  {
    what: 'a watch with 60 KB of label selectors',
    method: 'GET',
    path: `${configMaps}?watch=1&timeoutSeconds=1&labelSelector=${many(6_000, (index) => `k${index}!=v`)}`,
  },
  {
    what: 'a deletion of what a label selector of 60 KB matches',
    method: 'DELETE',
    path: `${configMaps}?labelSelector=${many(6_000, (index) => `k${index}=v`)}`,
  },
  {
    what: '6,000 arguments of a command',
    method: 'GET',
    path: `/api/v1/namespaces/default/pods/none/exec?${'command=a&'.repeat(6_000)}stdout=1`,
    headers: webSocket,
  },
  {
    what: '60 KB of protocols for a WebSocket',
    method: 'GET',
    path: `${configMaps}?watch=1&timeoutSeconds=1`,
    headers: { ...webSocket, 'sec-websocket-protocol': fill('a.b,', 60_000) },
  },
  { what: 'an odd path of the schema', method: 'GET', path: `/openapi/v3/${'../'.repeat(20_000)}` },
  { what: 'the schema with 60 KB of parameters', method: 'GET', path: `/openapi/v3?${'hash=%41&'.repeat(6_000)}` },
  { what: 'a name of 60 KB of escapes', method: 'GET', path: `${configMaps}/${'%41'.repeat(20_000)}` },
  { what: 'a field manager of 60 KB', path: `${configMaps}?fieldManager=${'a'.repeat(60_000)}`, body: '{}' },
  {
    what: 'options of 1 MiB',
    method: 'DELETE',
    path: `${configMaps}/none`,
    body: `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":[${many(90_000, () => '"All"')}]}`,
  },
  {
    what: '60 KB of groups to act as',
    method: 'GET',
    path: configMaps,
    headers: { 'impersonate-user': 'jane', 'impersonate-group': fill('g,', 60_000) },
  },
  { what: 'a continue token of 60 KB', method: 'GET', path: `${configMaps}?continue=${'A'.repeat(60_000)}` },
  { what: '20,000 parameters', method: 'GET', path: `${configMaps}?${'a&'.repeat(20_000)}limit=x` },
  { what: '60 KB of media types', method: 'GET', path: configMaps, headers: { accept: fill('a/b;q=0.1,', 60_000) } },
  {
    what: '60 KB of impersonated extra',
    method: 'GET',
    path: configMaps,
    headers: { 'impersonate-user': 'jane', 'impersonate-extra-a': '%'.repeat(60_000) },
  },
  {
    what: 'a CEL selector sent outside of a review',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: `{"spec":{"user":"jane","groups":[${many(200_000, (index) => `"g${index}"`)}],"resourceAttributes":{"verb":"get","resource":"pods"}}}`,
  },
  {
    what: 'a token of 1 MiB to be reviewed',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: `{"spec":{"token":"${fill('a.', mebibyte)}"}}`,
  },
  {
    what: 'a bearer token of 60 KB',
    method: 'GET',
    path: configMaps,
    headers: { authorization: `Bearer ${fill('a.', 60_000)}` },
  },
];
