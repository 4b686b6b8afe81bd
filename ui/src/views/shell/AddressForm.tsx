/** Takes the address that the server printed when it was started. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";

import { isLetIn } from "@/api/client";
import { keepToken } from "@/api/token";
import { givenIn } from "@/model/address";

import classes from "./shell.module.css";

/** `onToken` hears that the server's own token is known now. */
export function AddressForm({ onToken }: { onToken: () => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const take = async () => {
    const given = givenIn(text, location.origin);
    if (given === null) {
      setProblem("There is no token in this. The address looks like http://127.0.0.1:8765/?token=…");
      return;
    }
    if (given.elsewhere !== null) {
      location.assign(`${given.elsewhere}${location.pathname}${location.search}#token=${given.token}`);
      return;
    }
    if (!(await isLetIn(given.token))) {
      setProblem("The server does not know this token: take the address of its last start.");
      return;
    }
    keepToken(given.token);
    onToken();
  };
  return (
    <form
      className={classes["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        void take();
      }}
    >
      <TextInput
        className={classes["address"] ?? ""}
        size="xs"
        type="password"
        autoComplete="off"
        aria-label="Address that the server printed"
        placeholder="http://127.0.0.1:8765/?token=…"
        value={text}
        error={problem === "" ? undefined : problem}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setProblem("");
        }}
      />
      <Button type="submit" disabled={text.trim() === ""}>
        Go on
      </Button>
    </form>
  );
}
