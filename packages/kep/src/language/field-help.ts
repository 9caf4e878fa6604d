/** What the fields of `kep.yaml` are for, in a sentence each. */
export const fieldHelp: Readonly<Record<string, string>> = {
  title: 'Title of the proposal, as the README has it without its number.',
  'kep-number': 'Number of the tracking issue; the directory begins with it.',
  authors: 'Who writes it: a list of `"@handle"`.',
  reviewers: 'Who was asked to read it: a list of `"@handle"`.',
  approvers: 'Who may approve it: a list of `"@handle"`.',
  editor: 'Who looks after the form of it: a `"@handle"`.',
  'owning-sig': 'Group that owns it; the directory lies below its name.',
  'participating-sigs': 'Other groups that take part.',
  status:
    'How far the decision is: `provisional`, `implementable`, `implemented`, or closed as `deferred`, `rejected`, `withdrawn`, `replaced`. From `implementable` on its stage is held to the rules.',
  stage:
    'How far the feature is meant to be at `latest-milestone`: `alpha`, `beta`, `stable`, or on its way out `deprecated`, `disabled`, `removed`.',
  'latest-milestone': 'Release that the stage is meant for, `"v1.NN"`; the same as `milestone.<stage>`.',
  milestone: 'Release of each stage: `alpha`, `beta`, `stable`, `deprecated`, `disabled`, `removed`.',
  'feature-gates': 'The gates that switch it, each with `name` and the `components` that have it.',
  'disable-supported': 'Whether it can be switched off again after it was on: `true` or `false`.',
  metrics: 'Metrics that tell how it does: a list of names, with labels in braces if needed. Asked for from beta on.',
  'creation-date': 'Day it was begun, YYYY-MM-DD.',
  'last-updated': 'Day of the last change, YYYY-MM-DD.',
  'see-also': 'Related proposals: paths below `/keps`, or URLs.',
  replaces: 'Proposals that this one takes the place of.',
  'superseded-by': 'Proposals that take the place of this one.',
};
