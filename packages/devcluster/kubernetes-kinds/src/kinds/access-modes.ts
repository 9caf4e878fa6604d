import { type FieldError, forbidden, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { textColumn, wideColumn } from '@slipway/api-server/registry/columns';
import type { Column } from '@slipway/api-server/registry/resource-definition';

const ofOnePod = 'ReadWriteOncePod';
const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  [ofOnePod]: 'RWOP',
};

/** `RWO,ROX`: access modes as tables show them. */
export function accessModesText(modes: readonly string[] | null | undefined): string {
  return Object.keys(short)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => short[mode])
    .join(',');
}

/** Validates the access modes of a volume or a claim. */
export function validateAccessModes(
  modes: readonly string[],
  field: string,
  why = 'at least 1 access mode is required',
): FieldError[] {
  if (modes.length === 0) return [required(field, why)];
  const known = Object.keys(short).sort();
  const errors = modes.filter((mode) => !known.includes(mode)).map((mode) => notSupported(field, mode, known));
  const isMixed = modes.includes(ofOnePod) && modes.some((mode) => mode !== ofOnePod && known.includes(mode));
  if (isMixed) errors.push(forbidden(field, `may not use ${ofOnePod} with other access modes`));
  return errors;
}

/** STORAGECLASS of a volume or a claim. */
export const storageClassColumn: Column = textColumn(
  'StorageClass',
  'Storage class.',
  ({ metadata, spec }) =>
    metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '',
);

/** VOLUMEATTRIBUTESCLASS of a volume or a claim. */
export const volumeAttributesColumn: Column = textColumn(
  'VolumeAttributesClass',
  'Volume attributes class.',
  ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
);

/** VOLUMEMODE of a volume or a claim. */
export const volumeModeColumn: Column = wideColumn(
  'VolumeMode',
  'Whether the volume is a file system or a block device.',
  ({ spec }) => spec?.volumeMode ?? '<unset>',
);
