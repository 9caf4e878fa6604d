import { expect, test } from 'vitest';
import { parseRequestPath } from './request-path.js';

// path | group version namespace plural name subresource
const resources: [string, string][] = [
  ['/api/v1/pods', '|v1||pods|-|'],
  ['/api/v1/namespaces/a/pods', '|v1|a|pods|-|'],
  ['/api/v1/namespaces/a/pods/', '|v1|a|pods|-|'],
  ['/api/v1/namespaces/a/pods/b/status', '|v1|a|pods|b|status'],
  ['/api/v1/namespaces', '|v1||namespaces|-|'],
  ['/api/v1/namespaces/a', '|v1||namespaces|a|'],
  ['/api/v1/namespaces/a/status', '|v1||namespaces|a|status'],
  ['/api/v1/namespaces/a/finalize', '|v1||namespaces|a|finalize'],
  ['/apis/apps/v1/namespaces/a/deployments/b/scale', 'apps|v1|a|deployments|b|scale'],
  ['/apis/x.dev/v1/realms/r', 'x.dev|v1||realms|r|'],
  ['/apis/x.dev/v1/namespaces//gadgets', 'x.dev|v1||gadgets|-|'],
  ['/apis/x.dev/v1/namespaces/a/gadgets//b', 'x.dev|v1|a|gadgets||b'],
  ['/apis/x.dev/v1/namespaces/a/gadgets/b/c/d', 'x.dev|v1|a|gadgets|b|c/d'],
  ['/api/v1/watch/namespaces/a/pods', '|v1|a|pods|-|'],
];

test.each(resources)('parseRequestPath(%j)', (path, expected) => {
  const parsed = parseRequestPath(path);
  if (parsed.kind !== 'resource') throw new Error(`not a resource: ${parsed.kind}`);
  const { group, version, namespace, plural, name = '-', subresource, watchPrefix } = parsed.resource;
  expect([group, version, namespace, plural, name, subresource].join('|')).toBe(expected);
  expect(watchPrefix).toBe(path.includes('/watch/'));
});

// path | kind, group, version
const others: [string, string][] = [
  ['/api', 'discovery - -'],
  ['/apis', 'discovery - -'],
  ['/apis/apps', 'discovery apps -'],
  ['/apis/apps/', 'discovery apps -'],
  ['/apis/apps/v1', 'discovery apps v1'],
  ['/api/v1', 'discovery  v1'],
  ['/', 'other'],
  ['/metrics', 'other'],
  ['/apis/', 'other'],
];

test.each(others)('parseRequestPath(%j) names no resource', (path, expected) => {
  const parsed = parseRequestPath(path);
  const shown = parsed.kind === 'discovery' ? ` ${parsed.group ?? '-'} ${parsed.version ?? '-'}` : '';
  expect(`${parsed.kind}${shown}`).toBe(expected);
});
