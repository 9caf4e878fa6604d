import { list, object, type Schema, text } from '@slipway/kube/schema';

/**
 * The user who wrote the spec of a Feature or of a FeatureDefinition, as the API server authenticated that user: an
 * admission policy rejects any other. The feature server does nothing that this user could not do.
 */
export interface Author {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

/** Prefix of what a user's credential says of itself. It grants nothing, and changes with every token. */
export const credentialPrefix = 'authentication.kubernetes.io/';

export const authorSchema: Schema = object(
  {
    username: text('Name of the user.', { minLength: 1, maxLength: 1024 }),
    uid: text('Unique ID of the user, if the authenticator has one.', { maxLength: 256 }),
    groups: list(text('Name of a group.', { maxLength: 1024 }), 'Groups of the user.', { maxItems: 1024 }),
    extra: list(
      object(
        {
          key: text('Name of the attribute.', { maxLength: 512 }),
          values: list(text('One value.', { maxLength: 4096 }), 'Its values.', { maxItems: 256 }),
        },
        'An attribute that an authorizer may go by.',
        ['key', 'values'],
      ),
      'Further attributes of the user.',
      { maxItems: 64 },
    ),
  },
  'Who wrote the spec. Set by the API server or by slipway, and rejected when it names another user.',
  ['username'],
);
