/** The details of what is selected: a record, a component, or, where nothing is, the run. */

import { lazy } from "react";

import { useWorkspace } from "@/views/workspace/context";

import { RecordDetails } from "./RecordDetails";
import { RunDetails } from "./RunDetails";

const ComponentDetails = lazy(() => import("@/views/components/ComponentDetails"));

export default function Details() {
  const { place, view } = useWorkspace();
  if (place.component !== undefined) return <ComponentDetails path={place.component} />;
  if (place.at !== undefined && (place.at < view.outline.length || !view.whole))
    return <RecordDetails key={place.at} seq={place.at} />;
  return <RunDetails />;
}
