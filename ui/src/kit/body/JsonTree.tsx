/** JSON as a tree whose branches open, with texts as they read. */

import { useState } from "react";

import { isFields, type Json } from "@/model/body";

import classes from "./Body.module.css";

/** Branches with more items open piece by piece. */
const PIECE = 100;
const LONG_TEXT = 600;
/** Levels that are open at first, as long as they are small. */
const OPEN_LEVELS = 2;
const SMALL = 30;

export function JsonTree({ value, name = "" }: { value: Json; name?: string }) {
  return (
    <div className={classes["json"]}>
      {name !== "" && <div className={classes["type"]}>{name}</div>}
      <Value value={value} level={0} />
    </div>
  );
}

function Value({ value, level }: { value: Json; level: number }) {
  if (Array.isArray(value) || isFields(value)) return <Branch value={value} level={level} />;
  if (typeof value === "string") return <TextValue text={value} />;
  return <span className={classes["atom"]}>{JSON.stringify(value) ?? "null"}</span>;
}

function Branch({ value, level }: { value: Json[] | { [name: string]: Json }; level: number }) {
  const entries = Array.isArray(value)
    ? value.map((item, n): [string, Json] => [String(n), item])
    : Object.entries(value);
  const [open, setOpen] = useState(level < OPEN_LEVELS && entries.length <= SMALL);
  const [shown, setShown] = useState(PIECE);
  const [left, right] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return <span className={classes["atom"]}>{`${left}${right}`}</span>;
  const about = Array.isArray(value)
    ? `${entries.length} items`
    : entries
        .map(([key]) => key)
        .slice(0, 5)
        .join(", ");
  return (
    <span>
      <button
        type="button"
        className={classes["toggle"]}
        aria-expanded={open}
        aria-label={`${open ? "Close" : "Open"} ${about}`}
        title={open ? "Close" : "Open"}
        onClick={() => setOpen(!open)}
      >
        <span aria-hidden>{open ? "▾" : "▸"}</span> {left}
        {!open && (
          <span className="quiet">
            {about}
            {right}
          </span>
        )}
      </button>
      {open && (
        <>
          <ul className={classes["branch"]}>
            {entries.slice(0, shown).map(([key, item]) => (
              <li key={key}>
                <span className={classes["key"]}>{key}</span>
                <span className="quiet">: </span>
                <Value value={item} level={level + 1} />
              </li>
            ))}
          </ul>
          {shown < entries.length && (
            <button type="button" className={classes["more"]} onClick={() => setShown(shown + 10 * PIECE)}>
              {entries.length - shown} more
            </button>
          )}
          <span className="quiet">{right}</span>
        </>
      )}
    </span>
  );
}

function TextValue({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = text.length > LONG_TEXT && !whole;
  const shown = cut ? text.slice(0, LONG_TEXT) : text;
  return (
    <>
      <span className={shown.includes("\n") ? classes["block"] : classes["string"]}>
        {shown.includes("\n") ? shown : JSON.stringify(shown)}
      </span>
      {cut && (
        <button type="button" className={classes["more"]} onClick={() => setWhole(true)}>
          {(text.length - LONG_TEXT).toLocaleString("en")} more characters
        </button>
      )}
    </>
  );
}
