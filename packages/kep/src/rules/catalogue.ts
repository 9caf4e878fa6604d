import type { Rule } from '../facts/rule.js';
import { assignedApprover } from './assigned-approver.js';
import { badCheckbox } from './bad-checkbox.js';
import { bareNa } from './bare-na.js';
import { bom } from './bom.js';
import { brokenAnchor } from './broken-anchor.js';
import { brokenFileLink } from './broken-file-link.js';
import { checkedButUnfilled } from './checked-but-unfilled.js';
import { componentsMismatch } from './components-mismatch.js';
import { dateFormat } from './date-format.js';
import { disableContradiction } from './disable-contradiction.js';
import { disableSupportedMissing } from './disable-supported-missing.js';
import { e2eUnlinked } from './e2e-unlinked.js';
import { evidenceEdited } from './evidence-edited.js';
import { evidenceMissing } from './evidence-missing.js';
import { evidenceRefuted } from './evidence-refuted.js';
import { evidenceSimulated } from './evidence-simulated.js';
import { evidenceStale } from './evidence-stale.js';
import { fenceEscapesList } from './fence-escapes-list.js';
import { fieldDiffers } from './field-differs.js';
import { fieldKind } from './field-kind.js';
import { fieldMissing } from './field-missing.js';
import { fieldUndeclared } from './field-undeclared.js';
import { fieldValue } from './field-value.js';
import { fileTooLarge } from './file-too-large.js';
import { functionalCriteriaAtGa } from './functional-criteria-at-ga.js';
import { gaTooSoon } from './ga-too-soon.js';
import { gaWithoutConformance } from './ga-without-conformance.js';
import { gateMismatch } from './gate-mismatch.js';
import { gateNotMentioned } from './gate-not-mentioned.js';
import { gateOnlyInText } from './gate-only-in-text.js';
import { gateShape } from './gate-shape.js';
import { graduationStageUncovered } from './graduation-stage-uncovered.js';
import { headingHiddenFromToc } from './heading-hidden-from-toc.js';
import { hiddenUnicode } from './hidden-unicode.js';
import { historyMissesMilestone } from './history-misses-milestone.js';
import { historyUndated } from './history-undated.js';
import { implementedNeedsFinalStage } from './implemented-needs-final-stage.js';
import { invalidUtf8 } from './invalid-utf8.js';
import { ioError } from './io-error.js';
import { latestMilestoneVsStage } from './latest-milestone-vs-stage.js';
import { lineLength } from './line-length.js';
import { lineTooLongForInline } from './line-too-long-for-inline.js';
import { manyTitles } from './many-titles.js';
import { metricNotMentioned } from './metric-not-mentioned.js';
import { metricOnlyInText } from './metric-only-in-text.js';
import { metricShape } from './metric-shape.js';
import { milestoneFormat } from './milestone-format.js';
import { milestoneNoV } from './milestone-no-v.js';
import { milestoneOrder } from './milestone-order.js';
import { milestoneZero } from './milestone-zero.js';
import { mixedEol } from './mixed-eol.js';
import { mojibake } from './mojibake.js';
import { noFeatureGate } from './no-feature-gate.js';
import { noMetrics } from './no-metrics.js';
import { noTitle } from './no-title.js';
import { numberDuplicate } from './number-duplicate.js';
import { numberVsDirectory } from './number-vs-directory.js';
import { otherComment } from './other-comment.js';
import { personFormat } from './person-format.js';
import { pickOne } from './pick-one.js';
import { placeholderAnswer } from './placeholder-answer.js';
import { placeholderValue } from './placeholder-value.js';
import { prrAnswersChanged } from './prr-answers-changed.js';
import { prrApproverEmpty } from './prr-approver-empty.js';
import { prrApproverUnknown } from './prr-approver-unknown.js';
import { prrBypassed } from './prr-bypassed.js';
import { prrFileMissing } from './prr-file-missing.js';
import { prrNoAt } from './prr-no-at.js';
import { prrNumber } from './prr-number.js';
import { prrOrphan } from './prr-orphan.js';
import { prrStageMissing } from './prr-stage-missing.js';
import { questionMissing } from './question-missing.js';
import { questionUnanswered } from './question-unanswered.js';
import { readmeMissing } from './readme-missing.js';
import { recommendedField } from './recommended-field.js';
import { refLessAdvanced } from './ref-less-advanced.js';
import { refPath } from './ref-path.js';
import { replacedNeedsSupersededBy } from './replaced-needs-superseded-by.js';
import { requiredField } from './required-field.js';
import { scaffoldLeft } from './scaffold-left.js';
import { sectionEmpty } from './section-empty.js';
import { sectionLevel } from './section-level.js';
import { sectionMissing } from './section-missing.js';
import { sectionOrder } from './section-order.js';
import { sectionRenamed } from './section-renamed.js';
import { sigVsDirectory } from './sig-vs-directory.js';
import { signoffMissing } from './signoff-missing.js';
import { signoffOpenWhenImplemented } from './signoff-open-when-implemented.js';
import { signoffRequiredUnchecked } from './signoff-required-unchecked.js';
import { signoffUntouched } from './signoff-untouched.js';
import { spelling } from './spelling.js';
import { stageEnum } from './stage-enum.js';
import { stageMilestoneMissing } from './stage-milestone-missing.js';
import { statusEnum } from './status-enum.js';
import { suppressionWithoutReason } from './suppression-without-reason.js';
import { tabs } from './tabs.js';
import { templateCommentLeft } from './template-comment-left.js';
import { templateGeneration } from './template-generation.js';
import { templatePreambleLeft } from './template-preamble-left.js';
import { testPlanAck } from './test-plan-ack.js';
import { textAfterComment } from './text-after-comment.js';
import { titleFormat } from './title-format.js';
import { titleNumber } from './title-number.js';
import { titlePlaceholder } from './title-placeholder.js';
import { titleText } from './title-text.js';
import { tocAnchorDiffersOnGithub } from './toc-anchor-differs-on-github.js';
import { tocMissing } from './toc-missing.js';
import { tocStale } from './toc-stale.js';
import { todoInText } from './todo-in-text.js';
import { unclosedComment } from './unclosed-comment.js';
import { unclosedFence } from './unclosed-fence.js';
import { undefinedReference } from './undefined-reference.js';
import { unknownField } from './unknown-field.js';
import { unknownGroup } from './unknown-group.js';
import { unresolved } from './unresolved.js';
import { unresolvedUnbalanced } from './unresolved-unbalanced.js';
import { unusedSuppression } from './unused-suppression.js';
import { webPagePaste } from './web-page-paste.js';
import { yamlSyntax } from './yaml-syntax.js';

export { ioError, suppressionWithoutReason, unusedSuppression };

/** Every rule, by id. */
export const allRules: readonly Rule[] = [
  fileTooLarge,
  invalidUtf8,
  bom,
  mixedEol,
  mojibake,
  hiddenUnicode,
  webPagePaste,
  unclosedComment,
  unclosedFence,
  lineTooLongForInline,
  sectionMissing,
  questionMissing,
  sectionRenamed,
  sectionLevel,
  sectionOrder,
  noTitle,
  manyTitles,
  titleFormat,
  templateGeneration,
  readmeMissing,
  sectionEmpty,
  questionUnanswered,
  placeholderAnswer,
  bareNa,
  checkedButUnfilled,
  signoffMissing,
  signoffRequiredUnchecked,
  signoffUntouched,
  signoffOpenWhenImplemented,
  testPlanAck,
  unresolved,
  unresolvedUnbalanced,
  templateCommentLeft,
  templatePreambleLeft,
  otherComment,
  scaffoldLeft,
  titlePlaceholder,
  todoInText,
  badCheckbox,
  textAfterComment,
  ioError,
  tocMissing,
  tocStale,
  tocAnchorDiffersOnGithub,
  headingHiddenFromToc,
  brokenFileLink,
  brokenAnchor,
  undefinedReference,
  fenceEscapesList,
  yamlSyntax,
  unknownField,
  requiredField,
  statusEnum,
  stageEnum,
  implementedNeedsFinalStage,
  milestoneFormat,
  milestoneZero,
  milestoneNoV,
  milestoneOrder,
  recommendedField,
  personFormat,
  dateFormat,
  unknownGroup,
  gateShape,
  metricShape,
  refPath,
  replacedNeedsSupersededBy,
  disableSupportedMissing,
  noFeatureGate,
  noMetrics,
  placeholderValue,
  fieldKind,
  refLessAdvanced,
  fieldMissing,
  fieldValue,
  fieldUndeclared,
  fieldDiffers,
  numberVsDirectory,
  numberDuplicate,
  sigVsDirectory,
  titleNumber,
  titleText,
  latestMilestoneVsStage,
  stageMilestoneMissing,
  prrFileMissing,
  prrStageMissing,
  prrApproverEmpty,
  prrApproverUnknown,
  prrNumber,
  prrNoAt,
  prrOrphan,
  prrBypassed,
  prrAnswersChanged,
  assignedApprover,
  gateMismatch,
  gateNotMentioned,
  gateOnlyInText,
  componentsMismatch,
  metricOnlyInText,
  metricNotMentioned,
  disableContradiction,
  evidenceMissing,
  evidenceStale,
  evidenceRefuted,
  evidenceSimulated,
  evidenceEdited,
  graduationStageUncovered,
  historyUndated,
  historyMissesMilestone,
  e2eUnlinked,
  gaWithoutConformance,
  gaTooSoon,
  pickOne,
  functionalCriteriaAtGa,
  lineLength,
  tabs,
  spelling,
  suppressionWithoutReason,
  unusedSuppression,
];
