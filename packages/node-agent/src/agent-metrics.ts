import { Counter, declaredMetricText } from '@slipway/feature-gates/metrics';

/** Counts what the agent has seen and read, and shows it as a Prometheus page. */
export class AgentMetrics {
  readonly #up = new Map<string, boolean>();
  readonly #reads = new Counter();

  /** Whether a component answered the last request. */
  seen(component: string, isThere: boolean): void {
    this.#up.set(component, isThere);
  }

  /** Counts a page of a component that was read, or could not be. */
  note(component: string, result: 'read' | 'failed'): void {
    this.#reads.add({ component, result });
  }

  page(): string {
    const up = [...this.#up].map(([component, isUp]) => ({ labels: { component }, value: isUp ? 1 : 0 }));
    return (
      declaredMetricText('slipway_node_agent_component_up', 'gauge', 'Whether a component of this node answers.', up) +
      declaredMetricText(
        'slipway_node_agent_pages_total',
        'counter',
        'Pages of components that were read because they may be of another process.',
        this.#reads.samples(),
      )
    );
  }
}
