import type { FeatureRow } from '@slipway/features/views';
import type { ComponentChildren } from 'preact';
import { Scroll } from '../controls/scroll.js';
import { Age } from '../controls/when.js';
import type { ShownFeature } from './shown.js';

interface FactsProps {
  readonly feature: ShownFeature;
  readonly row: FeatureRow;
}

/** Shows the settings of a feature, and where they come from. */
export function Facts({ feature, row }: FactsProps) {
  const { spec, status } = feature;
  const { effective, published } = status ?? {};
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Namespace', feature.metadata.namespace],
    [
      'Stage',
      effective &&
        `${effective.stage}, ${effective.default ? 'on' : 'off'} by default${effective.locked ? ', locked' : ''}`,
    ],
    ['Desired', `${spec.desired ?? 'Unmanaged'}${spec.paused ? ' (paused)' : ''}`],
    ['Mode', spec.mode ?? 'Follow'],
    [
      'Published',
      published && `${published.value}${published.authority ? `, the flag of ${published.authority}` : ''}`,
    ],
    ['Configured', row.configured],
    ['Uses', row.uses],
    ['Upgrade', row.unsafe === '' ? row.upgrade : `${row.upgrade}: ${row.unsafe}`],
    [
      'Guards',
      status?.guard && `${status.guard.policies.join(', ')}, tried at ${status.guard.verifiedReplicas} API servers`,
    ],
    ['Created', row.created && <Age time={row.created} behind=" ago" />],
  ];
  return (
    <section>
      <h2>What is set</h2>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === undefined || value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

/** Conditions, as the server wrote them. */
export function Conditions({ feature }: { readonly feature: ShownFeature }) {
  const conditions = feature.status?.conditions ?? [];
  if (conditions.length === 0) return null;
  return (
    <section>
      <h2>Conditions</h2>
      <Scroll label="Conditions">
        <table class="plain">
          <thead>
            <tr>
              <th>Condition</th>
              <th>Status</th>
              <th>Reason</th>
              <th>Message</th>
              <th>Since</th>
            </tr>
          </thead>
          <tbody>
            {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
              <tr key={type}>
                <td>{type}</td>
                <td>{status}</td>
                <td>{reason}</td>
                <td class="text">{message}</td>
                <td>
                  <Age time={lastTransitionTime} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

/** Transitions that are over, newest first. */
export function Past({ feature }: { readonly feature: ShownFeature }) {
  const history = feature.status?.history ?? [];
  if (history.length === 0) return null;
  return (
    <section>
      <h2>History</h2>
      <ul class="lines">
        {history.map(({ id, to, result, cause, endedAt, note }) => (
          <li key={id}>
            <Age time={endedAt} behind=" ago" /> turned {to.toLowerCase()}, {result.toLowerCase()}{' '}
            <span class="faint">{cause}</span>
            {note && <p>{note}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
