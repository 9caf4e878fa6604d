import { vectorName } from '@slipway/feature-gates';
import {
  apiVersion,
  FeatureUse,
  FeatureVector,
  type FeatureVectorSpec,
  kubernetesGates,
  kubernetesNamespace,
} from '@slipway/features';
import type { Kube } from '@slipway/kube';

const components = ['kubelet', 'kube-proxy'];
const binaryVersion = 'v1.34.0';
const vectorsPerComponent = 10;
const atOnce = 64;

/** Writes the reports of the agents of `nodes` nodes: a kubelet and a kube-proxy each, with 200 gates. */
export async function reportProcesses(kube: Kube, nodes: number): Promise<void> {
  const vectors = new Map<string, readonly string[]>();
  for (const component of components) {
    const specs = Array.from({ length: vectorsPerComponent }, (_, at) => vectorOf(component, at));
    vectors.set(component, specs.map(vectorName));
    for (const spec of specs) {
      const metadata = { name: vectorName(spec), namespace: kubernetesNamespace };
      await kube.resource(FeatureVector).create({ apiVersion, kind: 'FeatureVector', metadata, spec });
    }
  }
  const uses = components.flatMap((component) =>
    Array.from({ length: nodes }, (_, at) => useOf(component, at, vectors.get(component)?.[at % vectorsPerComponent])),
  );
  for (let at = 0; at < uses.length; at += atOnce) {
    await Promise.all(uses.slice(at, at + atOnce).map((use) => kube.resource(FeatureUse).create(use)));
  }
}

function vectorOf(component: string, at: number): FeatureVectorSpec {
  const names = [...kubernetesGates.gates.keys()].slice(0, 200).sort();
  const gates = names.map((name, index) => ({ name, enabled: (index + at) % 3 === 0, set: index === at }));
  return { component, binaryVersion, gates };
}

function useOf(component: string, at: number, vector = ''): FeatureUse {
  const node = `worker-${at}`;
  const metadata = { name: `${component}.${node}`, namespace: kubernetesNamespace };
  const spec = {
    component,
    instance: node,
    node,
    incarnation: node,
    binaryVersion,
    source: 'Metrics',
    vector,
  } as const;
  return { apiVersion, kind: 'FeatureUse', metadata, spec };
}
