import type { ProcessSample } from '@slipway/features';
import { Scroll } from '../controls/scroll.js';
import type { ShownFeature } from './shown.js';

/** Shows which processes run which value, by component and version, and which do not agree. */
export function Components({ feature }: { readonly feature: ShownFeature }) {
  const components = feature.status?.uses?.components ?? [];
  if (components.length === 0) return null;
  return (
    <section>
      <h2>Who runs which value</h2>
      <Scroll label="Components">
        <table class="plain">
          <thead>
            <tr>
              <th>Component</th>
              <th>Versions</th>
              <th class="number">Expected</th>
              <th class="number">On</th>
              <th class="number">Off</th>
              <th class="number">Silent</th>
              <th class="number">Waived</th>
            </tr>
          </thead>
          <tbody>
            {components.map(({ name, required, versions, expected, on, off, silent, waived = 0 }) => (
              <tr key={name}>
                <td>
                  {name}
                  {required ? '' : <span class="faint"> optional</span>}
                </td>
                <td>
                  {versions.map((one) => (
                    <span key={one.v} class="version" title={`${one.on} on, ${one.off} off`}>
                      {one.v}{' '}
                      <span class="faint">{one.on > 0 && one.off > 0 ? 'mixed' : one.on > 0 ? 'on' : 'off'}</span>
                    </span>
                  ))}
                </td>
                <td class="number">{expected}</td>
                <td class="number">{on}</td>
                <td class="number">{off}</td>
                <td class={`number${silent > 0 ? ' warn' : ''}`}>{silent}</td>
                <td class="number">{waived}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <Stragglers samples={components.flatMap(({ samples }) => samples)} />
    </section>
  );
}

function Stragglers({ samples }: { readonly samples: readonly ProcessSample[] }) {
  if (samples.length === 0) return null;
  return (
    <>
      <h3>Processes that do not agree</h3>
      <ul class="lines">
        {samples.map(({ process, node, value, cause, version, waiver }) => (
          <li key={process}>
            <strong>{process}</strong>
            {node !== undefined && node !== process && ` on ${node}`}{' '}
            {value === 'silent' ? 'is silent' : `has it ${value}`}{' '}
            <span class="faint">{[cause, version, waiver && `waived by ${waiver}`].filter(Boolean).join(', ')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
