"""Pure loop detection: sees what an agent did, says what is wrong.

Nothing here touches a file of the user's, a clock, a thread, Textual or the OpenAI client.
"""
