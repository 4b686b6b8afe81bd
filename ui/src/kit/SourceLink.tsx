/** A place in the program's source, which opens in the editor of the person. */

import { Anchor } from "@mantine/core";
import { createContext, useContext } from "react";

import { EDITORS, sourceAddress } from "@/model/editors";

/** The address that opens a line of source, see `@/model/editors`. */
export const EditorAddress = createContext(EDITORS[0]?.address ?? "");

/** The address that opens a line; null where it is no whole path, or sources are no links. */
export function useSourceAddress(path: string, line?: number): string | null {
  return sourceAddress(useContext(EditorAddress), path, line);
}

export function SourceLink({ path, line, children }: { path: string; line?: number; children: string }) {
  const address = useSourceAddress(path, line);
  if (address === null) return <span title={path}>{children}</span>;
  return (
    <Anchor href={address} size="sm" title={`Open ${path} in your editor`}>
      {children}
    </Anchor>
  );
}
