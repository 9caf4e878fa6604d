import { type Kube, StatusError } from '@slipway/kube';
import type { Feature } from '../api/feature.js';
import { mergeSpec } from '../rbac/own-author.js';
import { ChangeRefusedError } from './change-refused.js';
import { type ConsentOptions, consentTo, type Shown } from './give-consent.js';
import type { ChangePreview } from './preview-change.js';

/**
 * Asks the feature server for what a preview showed. With consent, the tasks of
 * exactly that plan may change users' objects; if another plan comes of it, because
 * the plan changed meanwhile, it waits for consent of its own.
 * @throws ChangeRefusedError before anything is written.
 */
export async function requestChange(
  kube: Kube,
  preview: ChangePreview,
  options: ConsentOptions & { readonly consent: boolean },
): Promise<Feature> {
  const { feature, to, definition, mode } = preview;
  const { spec, metadata, status } = feature;
  if (!definition) {
    throw new ChangeRefusedError('NoDefinition', `no FeatureDefinition declares ${spec.gate}, so it is only reported`);
  }
  if (status?.effective?.locked && status.effective.default !== (to === 'On')) {
    const { version = 'this version' } = status.effective;
    throw new ChangeRefusedError('Locked', `${spec.gate} is locked to ${status.effective.default} at ${version}`);
  }
  if (to === 'Off' && definition.spec.disable === 'Unsupported') {
    throw new ChangeRefusedError('DisableUnsupported', `${spec.gate} cannot be turned off again, says its definition`);
  }
  const why = mode === 'Follow' && definition.spec.dynamic === 'Live' ? status?.settable?.why : undefined;
  if (why !== undefined) {
    throw new ChangeRefusedError('NotDynamic', `${spec.gate} cannot be set from here: ${why}`);
  }
  const ref = { name: metadata.name ?? '', namespace: metadata.namespace };
  const consent =
    options.consent && preview.needsConsent ? await consentTo(kube, { ...preview, definition }, options) : undefined;
  return mergeSpec(
    kube,
    ref,
    {
      metadata: { uid: metadata.uid },
      spec: { desired: to, mode, ...(consent && { consent }) },
    },
    options.signal,
  );
}

/**
 * Asks the feature server to clear what still uses a feature that is off. Consent to
 * exactly the plan of a `previewClean` is the request.
 * @throws ChangeRefusedError when it is not off, or nothing uses it.
 */
export async function requestClean(kube: Kube, preview: ChangePreview, options: ConsentOptions = {}): Promise<Feature> {
  const { feature, definition, inUse } = preview;
  const { spec, metadata, status } = feature;
  if (!definition) {
    throw new ChangeRefusedError('NoDefinition', `no FeatureDefinition declares ${spec.gate}, so it is only reported`);
  }
  if (status?.state !== 'Off' || inUse?.count === 0) {
    const why = status?.state === 'Off' ? 'nothing uses it' : `it is ${status?.state ?? 'Unknown'}`;
    throw new ChangeRefusedError('NothingToClean', `${spec.gate} is not to be cleaned: ${why}`);
  }
  const ref = { name: metadata.name ?? '', namespace: metadata.namespace };
  const consent = await consentTo(kube, { ...preview, definition }, options);
  return mergeSpec(kube, ref, { spec: { consent } }, options.signal);
}

/**
 * Agrees to what `previewApproval` showed of the transition, or the maintenance, that waits for consent.
 * @throws ChangeRefusedError while nothing could come of it.
 */
export async function approveTransition(kube: Kube, shown: Shown, options: ConsentOptions = {}): Promise<Feature> {
  const { name = '', namespace, uid } = shown.feature.metadata;
  const consent = await consentTo(kube, shown, options);
  return mergeSpec(kube, { name, namespace }, { metadata: { uid }, spec: { consent } }, options.signal);
}

/** Whether `error` says that the feature kinds are not installed, rather than that one object is missing. */
export function isNotInstalled(error: unknown): boolean {
  return error instanceof StatusError && error.code === 404 && error.status.details?.name === undefined;
}
