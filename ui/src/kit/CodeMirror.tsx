/** The editor behind `CodeEditor`; its colours are the variables of the theme, so they follow light and dark. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";

import type { CodeEditorProps } from "./code-editor";
import classes from "./CodeEditor.module.css";

const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--ot-message)" },
  { tag: [tags.string, tags.monospace], color: "var(--ot-passed)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--ot-tool)" },
  { tag: tags.heading, fontWeight: "600", color: "var(--ot-model)" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--ot-message)" },
  { tag: [tags.quote, tags.processingInstruction], color: "var(--ot-quiet)" },
  { tag: tags.invalid, color: "var(--ot-failed)" },
]);

const look = (dark: boolean) =>
  EditorView.theme(
    {
      "&": { height: "100%", backgroundColor: "transparent", color: "inherit" },
      "&.cm-focused": { outline: "none" },
      ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.5" },
      ".cm-content": { padding: "5px 0", caretColor: "var(--mantine-color-text)" },
      ".cm-line": { padding: "0 8px" },
      ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
      ".cm-gutters": { backgroundColor: "transparent", border: "0", color: "var(--ot-quiet)" },
      "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
        backgroundColor: "color-mix(in srgb, var(--ot-accent) 28%, transparent)",
      },
      ".cm-selectionMatch, .cm-matchingBracket": { backgroundColor: "var(--ot-selected)" },
      ".cm-panels": { backgroundColor: "var(--ot-sunken)", color: "inherit" },
      ".cm-foldPlaceholder": { backgroundColor: "var(--ot-hover)", border: "0", color: "var(--ot-quiet)" },
    },
    { dark },
  );

const languages: Record<NonNullable<CodeEditorProps["language"]>, () => Extension> = {
  json: () => [json(), bracketMatching(), foldGutter()],
  markdown: () => markdown(),
  text: () => [],
};

/**
 * Who types over a selection has it replaced here: Chromium would set inline styles for that, which the page's policy refuses.
 * What is replaced is told by the event: the editor hears of a new selection later.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    const [range] = event.getTargetRanges();
    if (inputType !== "insertText" || data === null || view.state.readOnly || range === undefined) return false;
    const from = view.posAtDOM(range.startContainer, range.startOffset);
    const to = view.posAtDOM(range.endContainer, range.endOffset);
    if (from === to) return false;
    view.dispatch({
      changes: { from, to, insert: view.state.toText(data) },
      selection: { anchor: from + data.length },
      userEvent: "input.type",
      scrollIntoView: true,
    });
    return true;
  },
});

function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}

export default function CodeMirror(props: CodeEditorProps) {
  const { value, language = "text", readOnly = false, label, autoFocus = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  const parts = useRef({ look: new Compartment(), language: new Compartment(), rights: new Compartment() });
  const dark = useComputedColorScheme("light") === "dark";
  const rights = (): Extension => [
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-multiline": "true",
      ...(readOnly && { "aria-readonly": "true", tabindex: "0" }),
    }),
  ];

  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (host.current === null) return undefined;
    const { look: lookPart, language: languagePart, rights: rightsPart } = parts.current;
    const submit = () => {
      latest.current.onSubmit?.();
      return latest.current.onSubmit !== undefined;
    };
    const made = new EditorView({
      parent: host.current,
      doc: value,
      extensions: [
        EditorView.cspNonce.of(nonce()),
        keymap.of([
          { key: "Mod-Enter", run: submit },
          ...defaultKeymap.filter((binding) => binding.key !== "Mod-Enter"),
          ...historyKeymap,
          ...searchKeymap,
          ...foldKeymap,
        ]),
        history(),
        search({ top: true }),
        highlightSelectionMatches(),
        drawSelection(),
        typingOver,
        EditorView.lineWrapping,
        syntaxHighlighting(highlighting),
        lookPart.of(look(dark)),
        languagePart.of(languages[language]()),
        rightsPart.of(rights()),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          if (text !== latest.current.value) latest.current.onChange?.(text);
        }),
      ],
    });
    view.current = made;
    if (autoFocus) made.focus();
    return () => {
      view.current = null;
      made.destroy();
    };
    // It is made once; what changes later is given to it below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  useEffect(() => {
    const made = view.current;
    if (made === null || made.state.doc.toString() === value) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const { look: lookPart, language: languagePart, rights: rightsPart } = parts.current;
    view.current?.dispatch({
      effects: [
        lookPart.reconfigure(look(dark)),
        languagePart.reconfigure(languages[language]()),
        rightsPart.reconfigure(rights()),
      ],
    });
    // oxlint-disable-next-line react/exhaustive-deps
  }, [dark, language, readOnly, label]);

  return <div ref={host} className={classes["host"]} />;
}
