export { type FixedKep, fixKep } from './authoring/fix.js';
export { type NewKep, newKepYaml, newReadme } from './authoring/new-kep.js';
export { type BaselineEntry, createBaseline, readBaseline, writeBaseline } from './check/baseline.js';
export { checkKep, type KepPaths } from './check/check-kep.js';
export { type CheckConfig, ConfigError, defaultConfig, readConfig, ruleNamed } from './check/config.js';
export { atLeast, counts, type Finding } from './check/finding.js';
export { type KepDocument, parseDocument } from './document/document.js';
export { isTocCurrent, tableOfContents } from './document/toc.js';
export { type Approval, readApproval } from './metadata/approval.js';
export { applyEdits, type Edit, setField, setMilestone } from './metadata/edit.js';
export { type KepYaml, minorOf, readKepYaml } from './metadata/kep-yaml.js';
export { printable } from './reporters/printable.js';
export { type CheckResult, type ReportFormat, renderReport, reportFormats } from './reporters/report.js';
export { summaryLine, tally } from './reporters/summary.js';
export {
  type FoundKep,
  findKeps,
  type Layout,
  layoutOf,
  nearestLayout,
  placeOf,
  singleFile,
} from './repository/find-keps.js';
export { readSource, type Source } from './repository/read-source.js';
export { builtinTemplates, builtinTemplateText, KepRepository, type LoadedKep } from './repository/repository.js';
export { writeWhole } from './repository/write-file.js';
export { allRules } from './rules/catalogue.js';
export type { FileRole, KepFacts, Rule, Severity } from './rules/rule.js';
export { tocEdit } from './rules/toc-edit.js';
export { isAnswered } from './template/answered.js';
export { type Assessed, assess, isOpen } from './template/assess.js';
export { lintTemplate, type TemplateLint } from './template/lint.js';
export { reaches, type Stage, stages } from './template/stage.js';
export { readTemplate, type Template } from './template/template.js';
