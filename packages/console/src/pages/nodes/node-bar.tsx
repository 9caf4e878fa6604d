import type { Measure, NodeLine } from '../../feeds/nodes-feed.js';

interface NodeBarProps {
  readonly line: NodeLine;
  readonly resource: keyof Measure;
  /** What the bar says to who does not see it. */
  readonly label: string;
}

/** One resource of a node as a bar: requested, free, kept by the system, and what does not exist for pods. */
export function NodeBar({ line, resource, label }: NodeBarProps) {
  const { hardware, allocatable, balloon, size, requested } = line.measures;
  const total = Math.max(1, hardware[resource]);
  const share = (amount: number) => `${Math.max(0, Math.min(100, (amount / total) * 100))}%`;
  const isOver = requested[resource] > size[resource];
  return (
    <span class="node-bar" role="img" aria-label={label}>
      <span
        class={isOver ? 'part-over' : 'part-requested'}
        style={{ width: share(Math.min(requested[resource], size[resource])) }}
      />
      <span class="part-free" style={{ width: share(size[resource] - requested[resource]) }} />
      <span class="part-balloon" style={{ width: share(balloon[resource]) }} />
      <span class="part-system" style={{ width: share(hardware[resource] - allocatable[resource]) }} />
    </span>
  );
}

const legend = [
  ['part-requested', 'requested'],
  ['part-free', 'free'],
  ['part-balloon', 'balloon: does not exist for pods'],
  ['part-system', 'kept by the system'],
] as const;

/** Names the parts of a bar. */
export function BarLegend() {
  return (
    <p class="legend">
      {legend.map(([part, text]) => (
        <span key={part}>
          <i class={part} aria-hidden="true" /> {text}
        </span>
      ))}
    </p>
  );
}
