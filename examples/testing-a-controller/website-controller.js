import { Controller, hasReason, ownerReference } from '@slipway/kube';

/** The kind that users of this controller write: a page, and how often it is served. */
export const websites = {
  group: 'example.org',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  namespaced: true,
};

export const deployments = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** What the API server must know of the kind. */
export const websiteDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'websites.example.org' },
  spec: {
    group: websites.group,
    scope: 'Namespaced',
    names: { kind: websites.kind, plural: websites.plural, singular: 'website' },
    versions: [
      {
        name: websites.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['image'],
                properties: { image: { type: 'string' }, replicas: { type: 'integer', minimum: 0, default: 1 } },
              },
              status: { type: 'object', properties: { readyReplicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

/** Keeps one Deployment for each Website, and says in its status how many pods are ready. */
export function websiteController({ kube, informers, log }) {
  const sites = informers.informer(websites).lister;
  const owned = informers.informer(deployments).lister;
  return new Controller({
    name: 'website-controller',
    kube,
    informers,
    log,
    for: websites,
    owns: [deployments],
    async reconcile(ref, { signal }) {
      const site = sites.get(ref);
      if (!site || site.metadata.deletionTimestamp) return;
      const deployment = owned.get(ref);
      if (!deployment) await createOnce(kube.resource(deployments), deploymentOf(site), signal);
      else if (differs(deployment, site)) await kube.resource(deployments).merge(ref, changeOf(site), { signal });

      const readyReplicas = deployment?.status?.readyReplicas ?? 0;
      if (site.status?.readyReplicas === readyReplicas) return;
      await kube.resource(websites).merge(ref, { status: { readyReplicas } }, { subresource: 'status', signal });
    },
  });
}

/** The cache may lag behind what was made a moment ago. */
async function createOnce(client, object, signal) {
  try {
    await client.create(object, { signal });
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}

function deploymentOf(site) {
  const { name, namespace } = site.metadata;
  const labels = { website: name };
  const { spec } = changeOf(site);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, ownerReferences: [ownerReference(site, { controller: true })] },
    spec: { ...spec, selector: { matchLabels: labels }, template: { metadata: { labels }, ...spec.template } },
  };
}

function changeOf({ spec: { image, replicas } }) {
  return { spec: { replicas, template: { spec: { containers: [{ name: 'web', image }] } } } };
}

function differs({ spec }, site) {
  return spec.replicas !== site.spec.replicas || spec.template.spec.containers[0].image !== site.spec.image;
}
