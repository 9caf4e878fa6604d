import type { ShownEvidence } from '../../feeds/kep-feeds.js';
import type { KepLine } from '../../feeds/proposals.js';
import { State } from '../controls/badges.js';
import { Command } from '../controls/command.js';
import { Scroll } from '../controls/scroll.js';
import { Age } from '../controls/when.js';

const looks: Readonly<Record<string, string>> = { verified: 'on', weak: 'changing', refuted: 'blocked' };

interface EvidenceProps {
  readonly evidence: readonly ShownEvidence[];
  readonly line: KepLine;
  /** Where the proposal lies. */
  readonly path: string;
}

/** Shows the results of verifying the claims of a proposal, the newest first. */
export function Evidence({ evidence, line: { gates }, path }: EvidenceProps) {
  if (evidence.length === 0 && gates.length === 0) return null;
  return (
    <section class="next">
      <h2>Evidence</h2>
      {evidence.map(({ name, stage, serverVersion, simulated, finishedAt, edited, isOutdated, claims }, at) => (
        <details key={name} open={at === 0}>
          <summary>
            {stage} on {serverVersion}
            {simulated && ', a simulated cluster'}, <Age time={finishedAt} behind=" ago" />
          </summary>
          {edited && <p class="warn">This file was changed by hand.</p>}
          {isOutdated && <p class="warn">The proposal claims something else by now: verify it again.</p>}
          <Scroll label="Claims">
            <table class="plain">
              <tbody>
                {claims.map(({ id, result, detail }) => (
                  <tr key={id}>
                    <th scope="row">{id}</th>
                    <td>
                      <State state={result} look={looks[result] ?? 'unknown'} />
                    </td>
                    <td class="text">{detail}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </details>
      ))}
      <p class="fix">
        {evidence.length === 0 ? 'There is none yet. ' : ''}To ask this cluster:{' '}
        <Command text={`slipway kep verify ${path} --write`} />
      </p>
    </section>
  );
}
