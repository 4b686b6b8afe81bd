/** The programs of a folder, to choose one from. */

import { UnstyledButton } from "@mantine/core";

import type { FoundProgram, FoundPrograms } from "@/api/schema";
import { count } from "@/kit/words";
import { kindOf } from "@/model/programs";

import classes from "./Programs.module.css";

interface ProgramsProps {
  found: FoundPrograms;
  /** How many are shown at most. */
  most: number;
  choose: (program: FoundProgram) => void;
}

export function Programs({ found, most, choose }: ProgramsProps) {
  const left = Math.max(0, found.programs.length - most) + found.more;
  return (
    <div>
      <ul className={classes["list"]} aria-label="Programs found here">
        {found.programs.slice(0, most).map((program) => (
          <li key={program.spec}>
            <UnstyledButton
              className={classes["program"]}
              disabled={program.note !== ""}
              title={program.note || program.about || `${program.file}, line ${program.line}`}
              onClick={() => choose(program)}
            >
              <code className={classes["spec"]}>{program.spec}</code>
              <span className={classes["kind"]}>{kindOf(program)}</span>
              <span className={classes["about"]}>{program.note || program.about}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {(left > 0 || found.unread.length > 0 || found.stopped !== "") && (
        <p className={classes["left"]}>
          {[
            left > 0 ? `${count(left, "more program")} found` : "",
            found.unread.length > 0
              ? `not understood: ${found.unread
                  .map(({ file }) => file)
                  .slice(0, 3)
                  .join(", ")}`
              : "",
            found.stopped === "" ? "" : `not all was looked at: ${found.stopped}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      )}
    </div>
  );
}
