import {
  type ContainerFields,
  eachContainer,
  type HandlerFields,
  type PodSpecFields,
  type ProbeFields,
  type VolumeFields,
} from '@slipway/kube-objects/kinds/pod-spec';

/** Fills in what Kubernetes assumes of a pod spec, in pods and in templates alike. In place. */
export function defaultPodSpec(spec: PodSpecFields): void {
  spec.restartPolicy ||= 'Always';
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.schedulerName ||= 'default-scheduler';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  // The old name of the field follows the new one, and fills it when only the old one is given.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const { container } of eachContainer(spec)) defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

/** Sets the defaults that pods get and pod templates do not: requests from limits, service links, host ports. */
export function defaultPod(spec: PodSpecFields): void {
  spec.enableServiceLinks ??= true;
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  for (const { list, container } of eachContainer(spec)) {
    if (list === 'ephemeralContainers') continue;
    defaultRequests(container);
    for (const port of spec.hostNetwork ? (container.ports ?? []) : []) {
      if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
    }
  }
}

function defaultRequests(container: ContainerFields): void {
  const { resources } = container;
  if (!resources?.limits) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

function defaultContainer(container: ContainerFields): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (handler) defaultHandler(handler);
  }
}

const host = '(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?/';
const step = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
/** A name of an image, with or without a tag and a digest, as the distribution specification has it. */
const reference = new RegExp(`^(?:${host})?${step}(?:/${step})*(?::(?<tag>[\\w][\\w.-]{0,127}))?(?<digest>@[^@]+)?$`);

/**
 * `latest`, said or unsaid, may mean something else tomorrow, so it is always pulled; a tag or a digest is not, nor is what
 * names no image.
 */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const { tag, digest } = reference.exec(image)?.groups ?? { digest: image };
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: ProbeFields): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHandler(probe);
}

function defaultHandler({ httpGet, grpc }: HandlerFields): void {
  if (httpGet) {
    httpGet.path ||= '/';
    httpGet.scheme ||= 'HTTP';
  }
  if (grpc) grpc.service ??= '';
}

const readableByAll = 0o644;

function defaultVolume(volume: VolumeFields): void {
  // A volume without a source is an empty directory.
  if (Object.keys(volume).every((field) => field === 'name')) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= readableByAll;
  if (volume.configMap) volume.configMap.defaultMode ??= readableByAll;
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.image) volume.image.pullPolicy ||= pullPolicyOf(volume.image.reference ?? '');
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) claim.volumeMode ??= 'Filesystem';
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= readableByAll;
    for (const { fieldRef } of volume.downwardAPI.items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1';
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= readableByAll;
    for (const { serviceAccountToken, downwardAPI } of volume.projected.sources ?? []) {
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
      for (const { fieldRef } of downwardAPI?.items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1';
    }
  }
}
