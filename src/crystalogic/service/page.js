"use strict";
const form = document.getElementById("form");
const answer = document.getElementById("answer");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = document.getElementById("row").value;
  try {
    const sent = await fetch(event.submitter.value, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const found = await sent.json();
    answer.textContent = found.text || found.message || JSON.stringify(found, null, 1);
  } catch (error) {
    answer.textContent = "The service does not answer.";
  }
  answer.hidden = false;
});
