import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { NodeState } from '../view/node-state.js';
import { most, type Score } from './score.js';

const mebibyte = 1024 * 1024;
/** Less than this is not worth caring about; more than that per container does not count. */
const least = 23 * mebibyte;
const highestPerContainer = 1000 * mebibyte;

/** Nodes that have the images already. One that many nodes have counts more, so that not all pods go to the first. */
export const imageScore: Score = {
  weight: 1,
  rate({ pod }, feasible, { nodes }) {
    const wanted = imagesOf(pod);
    const bytes = new Map<string, number>();
    const spread = new Map<string, number>();
    for (const state of nodes) {
      for (const { name, size } of imagesOn(state)) {
        if (!wanted.includes(name)) continue;
        bytes.set(name, size);
        spread.set(name, (spread.get(name) ?? 0) + 1);
      }
    }
    if (bytes.size === 0) return undefined;
    const worth = (name: string) => Math.floor(((bytes.get(name) ?? 0) * (spread.get(name) ?? 0)) / nodes.length);
    return feasible.map((state) => {
      const there = new Set(imagesOn(state).map(({ name }) => name));
      const sum = wanted.filter((name) => there.has(name)).reduce((total, name) => total + worth(name), 0);
      return points(sum, wanted.length);
    });
  },
};

function points(bytes: number, containers: number): number {
  const highest = highestPerContainer * containers;
  return Math.floor((most * (Math.min(Math.max(bytes, least), highest) - least)) / (highest - least));
}

function imagesOf({ spec }: Pod): readonly string[] {
  return [...spec.containers, ...(spec.initContainers ?? [])].map(({ image = '' }) => withTag(image));
}

function imagesOn({ node }: NodeState): readonly { readonly name: string; readonly size: number }[] {
  return (node.status?.images ?? []).flatMap(({ names = [], sizeBytes = 0 }) =>
    names.map((name) => ({ name, size: sizeBytes })),
  );
}

function withTag(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
