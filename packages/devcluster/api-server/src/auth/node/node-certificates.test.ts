import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { aPod } from '@slipway/devcluster/testing/a-server';
import { nodeUser } from '@slipway/kube-objects/rules/node-name';
import { beforeAll, expect, test } from 'vitest';
import { aServerWithRoles, askAs } from '../testing/ask-as.js';

const inDefault = '/api/v1/namespaces/default';
const requests = '/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests';
const signerName = 'example.com/signer';
let stubPKCS10Request = '';
beforeAll(async () => {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const request = await Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm });
  stubPKCS10Request = Buffer.from(request.rawData).toString('base64');
});

/** Nodes n1 and n2, each with a pod that mounts a certificate; `request` makes one that kubelet n1 may create. */
async function setUp() {
  const { ask, api } = await aServerWithRoles();
  const uid: Record<string, string> = {};
  const make = async (path: string, object: { readonly metadata: { readonly name?: string } }) => {
    const { body } = await ask('POST', path, object);
    uid[object.metadata.name ?? ''] = body.metadata.uid;
  };
  for (const name of ['n1', 'n2'])
    await make('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } } as never);
  for (const name of ['used', 'other']) {
    await make(`${inDefault}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name },
    } as never);
  }
  const podCertificate = { signerName, keyType: 'ECDSAP256', keyPath: 'key' };
  const volumes = [{ name: 'v', projected: { sources: [{ podCertificate }] } }];
  for (const [name, nodeName] of [
    ['mine', 'n1'],
    ['theirs', 'n2'],
  ] as const) {
    const pod = aPod(name, { nodeName });
    await make(`${inDefault}/pods`, { ...pod, spec: { ...pod.spec, serviceAccountName: 'used', volumes } } as never);
  }
  const request = (node: string, pod: string, account = 'used', more = {}) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'PodCertificateRequest',
    metadata: { generateName: 'req-' },
    spec: {
      signerName,
      podName: pod,
      podUID: uid[pod],
      serviceAccountName: account,
      serviceAccountUID: uid[account],
      nodeName: node,
      nodeUID: uid[node],
      stubPKCS10Request,
      ...more,
    },
  });
  return { ask, asNode: askAs(api, nodeUser('n1')), request };
}

// node | pod | account | other fields | why not
test.each<[string, string, string, object, string]>([
  ['n2', 'theirs', 'used', {}, 'PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"'],
  ['n1', 'mine', 'used', { nodeUID: 'x' }, 'names node UID "x", inconsistent with the running node'],
  ['n1', 'mine', 'used', { podName: 'none' }, 'while retrieving pod "default/none" named in the PodCertificateRequest'],
  ['n1', 'mine', 'used', { podUID: 'x' }, 'contains pod UID ("x") which differs from running pod'],
  ['n1', 'theirs', 'used', {}, 'pod "default/theirs" is not running on node "n1" named in the PodCertificateRequest'],
  ['n1', 'mine', 'other', {}, 'contains serviceAccountName ("other") that differs from running pod ("used")'],
  ['n1', 'mine', 'used', { serviceAccountUID: 'x' }, 'names service account UID "x", which differs from'],
  [
    'n1',
    'mine',
    'used',
    { signerName: 'example.com/other' },
    'pod "default/mine" does not mount a podCertificate projected volume for signer "example.com/other"',
  ],
])('a kubelet may not request a certificate of %s for %s with %s and %j', async (node, pod, account, more, why) => {
  const { asNode, request } = await setUp();
  const { status, body } = await asNode('POST', requests, request(node, pod, account, more));
  expect([status, body.message]).toEqual([403, expect.stringContaining(why)]);
});

test('a kubelet requests certificates for its pods, and reads its own requests', async () => {
  const { ask, asNode, request } = await setUp();
  const made = await asNode('POST', requests, request('n1', 'mine'));
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { body: theirs } = await ask('POST', requests, request('n2', 'theirs'));
  const path = `${requests}/${made.body.metadata.name}`;
  const answers: [string, string, number, string?][] = [
    ['GET', path, 200],
    ['GET', `${requests}/${theirs.metadata.name}`, 403, "no relationship found between node 'n1' and this object"],
    ['GET', `${requests}?fieldSelector=spec.nodeName%3Dn1`, 200],
    ['GET', requests, 403, 'can only list/watch podcertificaterequests with nodeName field selector'],
    ['DELETE', path, 403, 'nodes may not delete podcertificaterequests'],
    ['PUT', `${path}/status`, 403, 'nodes may not access the status subresource of PodCertificateRequests'],
    ['GET', `${inDefault}/serviceaccounts/used`, 200],
    ['GET', `${inDefault}/serviceaccounts/other`, 403, "no relationship found between node 'n1' and this object"],
    ['GET', '/apis/certificates.k8s.io/v1/clustertrustbundles', 200],
  ];
  for (const [method, url, status, why] of answers) {
    const answer = await asNode(method, url, method === 'PUT' ? made.body : undefined);
    expect([answer.status, answer.body.message], url).toEqual([status, why ? expect.stringContaining(why) : undefined]);
  }
});
