import type { DanglingSample } from '@slipway/features';
import { Age } from '../controls/when.js';
import type { ShownFeature } from './shown.js';

/** Objects that still use the feature, and copies of old values. */
export function DanglingObjects({ feature }: { readonly feature: ShownFeature }) {
  const { dangling } = feature.status ?? {};
  if (!dangling || dangling.samples.length === 0) return null;
  const uses = dangling.samples.filter(({ via }) => via === 'Spec');
  const copies = dangling.samples.filter(({ via }) => via !== 'Spec');
  return (
    <section>
      <h2>
        Objects that use it{' '}
        <span class="faint">
          {dangling.count}
          {dangling.complete ? '' : ' or more'}, looked at <Age time={dangling.scannedAt} behind=" ago" />
        </span>
      </h2>
      {uses.length > 0 && <Objects samples={uses} />}
      {dangling.count > uses.length && <p class="faint">and {dangling.count - uses.length} more</p>}
      {copies.length > 0 && (
        <>
          <h3>Copies of old values, which do not count</h3>
          <Objects samples={copies} />
        </>
      )}
      {dangling.note && <p>{dangling.note}</p>}
    </section>
  );
}

export function Objects({
  samples,
}: {
  readonly samples: readonly Pick<DanglingSample, 'resource' | 'namespace' | 'name' | 'path'>[];
}) {
  return (
    <ul class="lines">
      {samples.map(({ resource, namespace, name, path }) => (
        <li key={`${resource} ${namespace} ${name} ${path}`}>
          <span class="faint">{resource}</span> {namespace ? `${namespace}/` : ''}
          {name} <code>{path}</code>
        </li>
      ))}
    </ul>
  );
}
