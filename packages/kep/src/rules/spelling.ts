import { defineRule } from '../facts/rule.js';
import { visibleText, withoutCode } from '../facts/visible-text.js';

/** Words that are often typed wrong, and how they are written. No word of the right side is on the left. */
const words: Readonly<Record<string, string>> = {
  accomodate: 'accommodate',
  acheive: 'achieve',
  alot: 'a lot',
  apparant: 'apparent',
  availble: 'available',
  becuase: 'because',
  behaviuor: 'behaviour',
  comaptible: 'compatible',
  compatability: 'compatibility',
  concensus: 'consensus',
  configuraton: 'configuration',
  consistant: 'consistent',
  defintion: 'definition',
  dependancy: 'dependency',
  deprected: 'deprecated',
  enviroment: 'environment',
  existance: 'existence',
  feauture: 'feature',
  fucntion: 'function',
  gaurantee: 'guarantee',
  implemenation: 'implementation',
  implmentation: 'implementation',
  independant: 'independent',
  intialize: 'initialize',
  kuberentes: 'Kubernetes',
  kubernets: 'Kubernetes',
  lenght: 'length',
  maintainance: 'maintenance',
  neccessary: 'necessary',
  occured: 'occurred',
  occurence: 'occurrence',
  paramter: 'parameter',
  perfomance: 'performance',
  permanant: 'permanent',
  posible: 'possible',
  prefered: 'preferred',
  propogate: 'propagate',
  recieve: 'receive',
  refered: 'referred',
  relevent: 'relevant',
  seperate: 'separate',
  succesful: 'successful',
  supress: 'suppress',
  teh: 'the',
  thier: 'their',
  truely: 'truly',
  unneccessary: 'unnecessary',
  usefull: 'useful',
  wether: 'whether',
  wich: 'which',
};

const known = new RegExp(`\\b(?:${Object.keys(words).join('|')})\\b`, 'gi');

/** A slip of the fingers is read by everybody who comes after. Off unless it is asked for. */
export const spelling = defineRule({
  id: 'KEP903',
  slug: 'spelling',
  summary: 'Words that are often misspelt are spelt right',
  severity: { draft: 'off', gated: 'off' },
  check({ document }, report) {
    if (!document) return;
    for (const { start, text } of visibleText(document)) {
      for (const found of withoutCode(text).matchAll(known)) {
        const [typed] = found;
        const right = words[typed.toLowerCase()] ?? typed;
        const span = { start: start + found.index, end: start + found.index + typed.length };
        const asTyped = /^[A-Z]/.test(typed) ? right.charAt(0).toUpperCase() + right.slice(1) : right;
        const fix = { safety: 'safe' as const, edits: [{ ...span, text: asTyped }] };
        report({ file: 'readme', span, message: `"${typed}" is spelt "${asTyped}"`, fix });
      }
    }
  },
});
