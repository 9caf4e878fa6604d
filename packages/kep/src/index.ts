export { type FixedKep, fixKep } from './authoring/fix.js';
export { malformedDirectives, type NewKep, newKepYaml, newReadme, withClosedDirectives } from './authoring/new-kep.js';
export { patchText } from './authoring/patch-text.js';
export { type PromotedKep, promoteKep } from './authoring/promote-kep.js';
export { type Baseline, type BaselineEntry, createBaseline, readBaseline, writeBaseline } from './check/baseline.js';
export { checkKep } from './check/check-kep.js';
export { type CheckConfig, defaultConfig, readConfig, ruleNamed } from './check/config.js';
export { counts, type Finding } from './check/finding.js';
export type { KepPaths } from './check/kep-paths.js';
export type { ProposalFindings } from './check/kept-findings.js';
export type { Tally } from './check/tally.js';
export { type Claim, type Claims, claimsHash } from './claims/claim.js';
export type { ClusterView, GateView, NotSeen, Seen } from './claims/cluster-view.js';
export { gatesOnPage, readExposition } from './claims/exposition.js';
export { claimsBlock, extractClaims } from './claims/extract-claims.js';
export { judgeClaims } from './claims/judge-claims.js';
export { type MetricSelector, parseMetricSelector } from './claims/metric-selector.js';
export { type KepDocument, parseDocument } from './document/document.js';
export { nearest } from './document/nearest.js';
export { isTocCurrent, type TocEngine, type TocOptions, tableOfContents, tocEngines } from './document/toc.js';
export {
  type ClaimResult,
  type Evidence,
  type EvidenceClaim,
  type EvidenceFile,
  evidenceName,
  readEvidence,
  writeEvidence,
} from './evidence/evidence.js';
export { type Card, cardOf } from './facts/card.js';
export type { FileRole, KepFacts, Rule } from './facts/rule.js';
export { tocEdit } from './facts/toc-edit.js';
export { ConfigError } from './kinds/config-error.js';
export type { DocumentKind, FieldRule } from './kinds/document-kind.js';
export { fillGaps } from './kinds/file-pattern.js';
export type { Severity } from './kinds/severity.js';
export { type CodeAction, codeActionsAt } from './language/code-actions.js';
export { type CodeLens, codeLenses } from './language/code-lens.js';
export { completionsInApproval, completionsInReadme, completionsInYaml } from './language/completion.js';
export type { CompletionItem } from './language/completion-item.js';
export { type Diagnostic, diagnosticsOf } from './language/diagnostics.js';
export { type DocumentSymbol, documentSymbols } from './language/document-symbols.js';
export { type FoldingRange, foldingRanges } from './language/folding-ranges.js';
export { hoverInReadme, hoverInYaml } from './language/hover.js';
export type { Hover } from './language/hover-text.js';
export type { OpenKep } from './language/open-kep.js';
export { gateAt, renameGate } from './language/rename-gate.js';
export type { Position, TextEdit } from './language/text-range.js';
export { type Approval, readApproval } from './metadata/approval.js';
export { applyEdits, type Edit, setField, setMilestone } from './metadata/edit.js';
export { type KepYaml, minorOf, readKepYaml } from './metadata/kep-yaml.js';
export { isStage, kepLadder, reaches, type Stage, type StageLadder, stageNamed, stages } from './metadata/stage.js';
export type { CheckResult } from './reporters/check-result.js';
export { type ReportFormat, renderReport, reportFormats, reportText } from './reporters/report.js';
export { summaryLine, tallyOf } from './reporters/summary.js';
export {
  type FoundKep,
  findKeps,
  type Layout,
  layoutOf,
  nearestLayout,
  placeOf,
  singleFile,
} from './repository/find-keps.js';
export { KnownResults } from './repository/known-results.js';
export { readSource, type Source } from './repository/read-source.js';
export { builtinTemplates, builtinTemplateText, KepRepository, type LoadedKep } from './repository/repository.js';
export { writeOutput, writeWhole } from './repository/write-file.js';
export { type CheckedKep, ResultCache } from './result-cache.js';
export { allRules } from './rules/catalogue.js';
export { isAnswered } from './template/answered.js';
export { type Assessed, assess, isOpen } from './template/assess.js';
export { lintTemplate, type TemplateLint } from './template/lint.js';
export { readTemplate, type Template } from './template/template.js';
export type { ChangeKind } from './upgrade/change.js';
export { type Upgrade, UpgradeRefusedError, upgradeToTemplate } from './upgrade/upgrade.js';
