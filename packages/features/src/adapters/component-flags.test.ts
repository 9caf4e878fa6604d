import { expect, test } from 'vitest';
import { readComponentFlags } from './component-flags.js';

// arguments | gates set
const cases: [readonly string[], Record<string, boolean>][] = [
  [['kube-apiserver'], {}],
  [['kube-apiserver', '--feature-gates=A=true,B=false'], { A: true, B: false }],
  [['kube-apiserver', '--feature-gates', 'A=true', '--v=2'], { A: true }],
  [['--feature-gates=A=true', '--feature-gates=B=1,A=f'], { A: false, B: true }],
  [['--feature-gates= A = true ,,', '--feature-gates='], { A: true }],
  [['--feature-gates=A,B=maybe,C=true,D=true=false'], { C: true }],
  [['--feature-gatesy=A=true', 'feature-gates=A=true', '--feature-gates'], {}],
  [['/bin/sh', '-c', 'exec kube-scheduler --feature-gates="A=true,B=false" --v=2 1>>/log 2>&1'], { A: true, B: false }],
];

test.each(cases)('readComponentFlags(%j) reads %j', (argv, gates) => {
  expect(Object.fromEntries(readComponentFlags(argv).featureGates)).toEqual(gates);
});

test('readComponentFlags() says that a file may set more', () => {
  expect(readComponentFlags(['kubelet', '--config', '/etc/kubelet.yaml']).configFile).toBe('/etc/kubelet.yaml');
  expect(readComponentFlags(['kubelet']).configFile).toBeUndefined();
});
