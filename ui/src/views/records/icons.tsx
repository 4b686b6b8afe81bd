/** A sign for each kind of record, so that colour is never the only difference. */

import {
  IconArrowBackUp,
  IconArrowsRightLeft,
  IconBrain,
  IconCircleDot,
  IconFlag,
  IconMail,
  IconMessage2,
  IconPencil,
  IconRefresh,
  IconRepeat,
  IconRobot,
  IconRoute,
  IconStack2,
  IconSubtask,
  IconTool,
  type TablerIcon,
} from "@tabler/icons-react";

import type { Aspect } from "@/model/aspects";
import type { RecordVerb } from "@/model/verbs";

export const ASPECT_ICONS: { [aspect in Aspect]: TablerIcon } = {
  message: IconMail,
  agent: IconRobot,
  step: IconSubtask,
  task: IconSubtask,
  model: IconBrain,
  tool: IconTool,
  flow: IconRoute,
  note: IconMessage2,
  edit: IconPencil,
  run: IconFlag,
  span: IconStack2,
  detail: IconCircleDot,
};

export const UnknownIcon = IconArrowsRightLeft;

export const VERB_ICONS: { readonly [id in RecordVerb["id"]]: TablerIcon } = {
  change: IconPencil,
  back: IconArrowBackUp,
  again: IconRefresh,
  times: IconRepeat,
};
