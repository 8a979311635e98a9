# Without Python nothing can be on; whoever asks for it by name hears why. Only here the input is looked at.
[ "$1" = UserPromptSubmit ] || exit 0
if head -c 100000 | grep -Eiq '"prompt" *: *"(ulw|ultrawork)[ "]'; then
  echo '{"systemMessage": "ultrawork: not on. It needs Python 3.11 or newer; set ULTRAWORK_PYTHON."}'
fi
exit 0
