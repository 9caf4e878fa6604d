import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { badRequest, invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Call } from '../core/core.js';

/** What of a log is asked for. */
export interface LogOptions {
  /** '' when none is named. */
  readonly container: string;
  readonly previous: boolean;
  readonly follow: boolean;
  readonly timestamps: boolean;
  /** Lines before are left out, in milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

/** @throws StatusError BadRequest or Invalid. */
export function readLogOptions({ query, name }: Call, nowMs: number): LogOptions {
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map((key) =>
    query.integer(key),
  );
  const sinceTime = query.get('sinceTime') || undefined;
  const errors: FieldError[] = [];
  const atLeast = (field: string, value: number | undefined, least: number, detail: string) => {
    if (value !== undefined && value < least) errors.push({ type: 'Invalid', field, value, detail });
  };
  atLeast('tailLines', tailLines, 0, 'must be greater than or equal to 0');
  atLeast('limitBytes', limitBytes, 1, 'must be greater than 0');
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push({
      type: 'Forbidden',
      field: '',
      detail: 'at most one of `sinceTime` or `sinceSeconds` may be specified',
    });
  } else atLeast('sinceSeconds', sinceSeconds, 1, 'must be greater than 0');
  if (errors.length > 0) throw invalid('PodLogOptions', '', name, errors);
  return {
    container: query.get('container') ?? '',
    previous: query.flag('previous'),
    follow: query.flag('follow'),
    timestamps: query.flag('timestamps'),
    sinceMs: sinceSeconds !== undefined ? nowMs - sinceSeconds * 1000 : sinceTime === undefined ? 0 : timeOf(sinceTime),
    tailLines,
    limitBytes,
  };
}

function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw badRequest(`sinceTime is not a time: ${JSON.stringify(text)}`);
  return ms;
}
