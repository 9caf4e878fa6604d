import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, tooLong } from '@slipway/api-machinery/errors/field-error';
import { labelValueProblems, qualifiedNameProblems } from '@slipway/api-machinery/errors/names';

const annotationBytes = 256 * 1024;

type Texts = Readonly<Record<string, string>>;

/** Returns the errors in `metadata.labels`. */
export function labelMapProblems(labels: Texts = {}): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...invalidBecause('metadata.labels', key, qualifiedNameProblems(key)),
    ...invalidBecause('metadata.labels', value, labelValueProblems(value)),
  ]);
}

/** Returns the errors in `metadata.annotations`. */
export function annotationProblems(annotations: Texts = {}): FieldError[] {
  const entries = Object.entries(annotations);
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    // Keys of annotations may have capitals in their prefix.
    ...entries.flatMap(([key]) =>
      invalidBecause('metadata.annotations', key, qualifiedNameProblems(key.toLowerCase())),
    ),
    ...(bytes > annotationBytes ? [tooLong('metadata.annotations', annotationBytes)] : []),
  ];
}
