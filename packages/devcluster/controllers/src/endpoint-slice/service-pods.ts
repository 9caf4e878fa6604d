import { type InformerFactory, type KubeObject, matchesSelector, type ObjectRef, refOf } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type Service, services } from '@slipway/kube-objects/kinds/api/services';

/** Which services lead to which pods, by the caches of one process. */
export function servicePods(informers: InformerFactory) {
  const all = informers.informer(services).lister;
  const { lister } = informers.informer(pods);
  const leadsTo = ({ spec }: Service, { metadata }: KubeObject) =>
    spec.selector !== undefined && matchesSelector({ matchLabels: spec.selector }, metadata.labels);
  return {
    /** The services that lead to a pod, or would if it were ready. */
    servicesOf: (pod: KubeObject): readonly ObjectRef[] =>
      all
        .list({ namespace: pod.metadata.namespace })
        .filter((service) => leadsTo(service, pod))
        .map(refOf),
    podsOf: (service: Service): readonly Pod[] =>
      lister.list({ namespace: service.metadata.namespace }).filter((pod) => leadsTo(service, pod)),
  };
}
