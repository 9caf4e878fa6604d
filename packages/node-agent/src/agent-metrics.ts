/** What the agent has seen and read, as a Prometheus page. */
export class AgentMetrics {
  readonly #up = new Map<string, boolean>();
  readonly #reads = new Map<string, number>();

  /** Whether a component answered when it was last asked. */
  seen(component: string, isThere: boolean): void {
    this.#up.set(component, isThere);
  }

  /** A page of a component was read, or could not be. */
  note(component: string, result: 'read' | 'failed'): void {
    const labels = `component="${component}",result="${result}"`;
    this.#reads.set(labels, (this.#reads.get(labels) ?? 0) + 1);
  }

  page(): string {
    const up = [...this.#up].map(
      ([name, isUp]) => `slipway_node_agent_component_up{component="${name}"} ${isUp ? 1 : 0}`,
    );
    const reads = [...this.#reads].map(([labels, count]) => `slipway_node_agent_pages_total{${labels}} ${count}`);
    return [
      '# HELP slipway_node_agent_component_up Whether a component of this node answers.',
      '# TYPE slipway_node_agent_component_up gauge',
      ...up,
      '# HELP slipway_node_agent_pages_total Pages of components that were read because they may be of another process.',
      '# TYPE slipway_node_agent_pages_total counter',
      ...reads,
      '',
    ].join('\n');
  }
}
