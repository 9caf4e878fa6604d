import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Query } from './query.js';

/** What a list or watch asks for, besides its selectors. */
export interface ListOptions {
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number | undefined;
}

/**
 * Reads the options and refuses combinations that Kubernetes refuses.
 *
 * @throws StatusError BadRequest or Invalid.
 */
export function readListOptions(query: Query, watch: boolean): ListOptions {
  const options: ListOptions = {
    watch,
    allowWatchBookmarks: query.flag('allowWatchBookmarks'),
    sendInitialEvents: query.get('sendInitialEvents') === undefined ? undefined : query.flag('sendInitialEvents'),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: query.integer('limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: query.integer('timeoutSeconds'),
  };
  const errors = watch ? watchProblems(options) : listProblems(options);
  if (errors.length > 0) throw invalid('ListOptions', 'meta.k8s.io', '', errors);
  return options;
}

function listProblems(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(matchForbidden('resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continueToken !== '') {
      errors.push(matchForbidden('resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(matchUnsupported(match, '"Exact", "NotOlderThan", ""'));
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(matchForbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    const detail = 'sendInitialEvents is forbidden for list';
    errors.push({ type: 'Forbidden', field: 'sendInitialEvents', detail });
  }
  return errors;
}

function watchProblems(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(matchForbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      errors.push(matchForbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    }
    if (match !== 'NotOlderThan') errors.push(matchUnsupported(match, '"NotOlderThan"'));
    if (options.continueToken !== '') {
      errors.push(matchForbidden('resourceVersionMatch is forbidden when continue is provided'));
    }
  }
  return errors;
}

function matchForbidden(detail: string): FieldError {
  return { type: 'Forbidden', field: 'resourceVersionMatch', detail };
}

function matchUnsupported(value: string, supported: string): FieldError {
  return { type: 'NotSupported', field: 'resourceVersionMatch', value, detail: `supported values: ${supported}` };
}
